;; Packs texts with codes of symbols, and unpacks them; see format.ts for the codes.
;; Assembled into text_packing_wasm.ts by `deno task wasm`.
(module
  (import "texts" "memory" (memory 1 1024))

  ;; Writes the symbols of the codes from $from to $end to $to. $symbols has 16 bytes for each of the $count symbols, the
  ;; last of which is its length; 0: unknown. Codes from $short on have two bytes. Writes up to 16 bytes beyond $limit.
  ;; Returns the end of the text, or 0 if the codes are damaged.
  (func (export "unpack")
    (param $from i32) (param $end i32) (param $symbols i32) (param $count i32) (param $short i32)
    (param $to i32) (param $limit i32)
    (result i32)
    (local $code i32) (local $length i32)
    (block $damaged
      (loop $next
        (if (i32.ge_u (local.get $from) (local.get $end)) (then (return (local.get $to))))
        (local.set $code (i32.load8_u (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (if (i32.ge_u (local.get $code) (local.get $short))
          (then
            (br_if $damaged (i32.ge_u (local.get $from) (local.get $end)))
            (local.set $code
              (i32.add
                (i32.add
                  (local.get $short)
                  (i32.shl (i32.sub (local.get $code) (local.get $short)) (i32.const 8)))
                (i32.load8_u (local.get $from))))
            (local.set $from (i32.add (local.get $from) (i32.const 1)))))
        (br_if $damaged (i32.ge_u (local.get $code) (local.get $count)))
        (local.set $code (i32.add (local.get $symbols) (i32.shl (local.get $code) (i32.const 4))))
        (local.set $length (i32.load8_u offset=15 (local.get $code)))
        (br_if $damaged (i32.eqz (local.get $length)))
        (br_if $damaged (i32.gt_u (i32.add (local.get $to) (local.get $length)) (local.get $limit)))
        (i64.store align=1 (local.get $to) (i64.load align=1 (local.get $code)))
        (i64.store offset=8 align=1 (local.get $to) (i64.load offset=8 align=1 (local.get $code)))
        (local.set $to (i32.add (local.get $to) (local.get $length)))
        (br $next)))
    (i32.const 0))

  ;; Returns a checksum of the bytes from $from to $end, which depends on $seed. Overwrites the 8 bytes after them.
  (func (export "checksum")
    (param $from i32) (param $end i32) (param $seed i32)
    (result i32)
    (local $sum i64)
    (local.set $sum
      (i64.xor
        (i64.shl (i64.extend_i32_u (local.get $seed)) (i64.const 32))
        (i64.extend_i32_u (i32.sub (local.get $end) (local.get $from)))))
    (i64.store align=1 (local.get $end) (i64.const 0))
    ;; Each step is reversible, so that one changed word always changes the sum.
    (loop $next
      (local.set $sum
        (i64.mul
          (i64.xor (local.get $sum) (i64.load align=1 (local.get $from)))
          (i64.const 0x9e3779b97f4a7c15)))
      (local.set $sum (i64.xor (local.get $sum) (i64.shr_u (local.get $sum) (i64.const 32))))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end))))
    (i32.wrap_i64
      (i64.shr_u (i64.mul (local.get $sum) (i64.const 0xd6e8feb86659fd93)) (i64.const 32))))

  ;; Writes the codes of the bytes from $from to $end to $to: each time that of the longest symbol. $edges is a hash table
  ;; of the prefixes of all symbols with $mask + 1 entries: (prefix << 8 | next byte) + 1, and the longer prefix. $codes has
  ;; the code of each prefix in 16 bits; 0xffff: no symbol. Returns the end of the codes, or 0 if they would exceed $limit
  ;; or some byte has no symbol.
  (func (export "pack")
    (param $from i32) (param $end i32) (param $short i32)
    (param $edges i32) (param $mask i32) (param $codes i32) (param $to i32) (param $limit i32)
    (result i32)
    (local $next i32) (local $prefix i32) (local $key i32) (local $slot i32) (local $found i32)
    (local $code i32) (local $best i32)
    (block $failed
      (loop $nextSymbol
        (if (i32.ge_u (local.get $from) (local.get $end)) (then (return (local.get $to))))
        (local.set $prefix (i32.const 0))
        (local.set $best (i32.const 0xffff))
        (local.set $next (local.get $from))
        (block $longest
          (loop $longer
            (br_if $longest (i32.ge_u (local.get $next) (local.get $end)))
            (local.set $key
              (i32.add
                (i32.or (i32.shl (local.get $prefix) (i32.const 8)) (i32.load8_u (local.get $next)))
                (i32.const 1)))
            (local.set $slot
              (i32.and
                (i32.shr_u (i32.mul (local.get $key) (i32.const 0x9e3779b1)) (i32.const 12))
                (local.get $mask)))
            (block $edge
              (loop $probe
                (local.set $found
                  (i32.load (i32.add (local.get $edges) (i32.shl (local.get $slot) (i32.const 3)))))
                (br_if $longest (i32.eqz (local.get $found)))
                (br_if $edge (i32.eq (local.get $found) (local.get $key)))
                (local.set $slot (i32.and (i32.add (local.get $slot) (i32.const 1)) (local.get $mask)))
                (br $probe)))
            (local.set $prefix
              (i32.load offset=4 (i32.add (local.get $edges) (i32.shl (local.get $slot) (i32.const 3)))))
            (local.set $next (i32.add (local.get $next) (i32.const 1)))
            (local.set $code
              (i32.load16_u (i32.add (local.get $codes) (i32.shl (local.get $prefix) (i32.const 1)))))
            (br_if $longer (i32.eq (local.get $code) (i32.const 0xffff)))
            (local.set $best (local.get $code))
            (local.set $from (local.get $next))
            (br $longer)))
        (br_if $failed (i32.eq (local.get $best) (i32.const 0xffff)))
        (br_if $failed (i32.gt_u (i32.add (local.get $to) (i32.const 2)) (local.get $limit)))
        (if (i32.lt_u (local.get $best) (local.get $short))
          (then
            (i32.store8 (local.get $to) (local.get $best))
            (local.set $to (i32.add (local.get $to) (i32.const 1))))
          (else
            (local.set $best (i32.sub (local.get $best) (local.get $short)))
            (i32.store8 (local.get $to) (i32.add (local.get $short) (i32.shr_u (local.get $best) (i32.const 8))))
            (i32.store8 offset=1 (local.get $to) (local.get $best))
            (local.set $to (i32.add (local.get $to) (i32.const 2)))))
        (br $nextSymbol)))
    (i32.const 0))
)
