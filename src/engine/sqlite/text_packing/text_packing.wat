;; Packs texts with codes of symbols, and unpacks them; see format.ts for the codes.
;; Assembled into text_packing_wasm.ts by `deno task wasm`.
(module
  (import "texts" "memory" (memory 1 1024))

  ;; Writes the symbols of the codes from $from to $end to $to. $symbols has 16 bytes for each possible code, the last of
  ;; which is the length of its symbol; 0: unknown. Codes from $short on have two bytes. Reads the byte at $end, and writes
  ;; up to 16 bytes beyond $limit. Returns the end of the text, or 0 if the codes are damaged.
  (func (export "unpack")
    (param $from i32) (param $end i32) (param $symbols i32) (param $short i32) (param $to i32) (param $limit i32)
    (result i32)
    (local $code i32) (local $symbol i32) (local $length i32) (local $isLong i32)
    (block $damaged
      (loop $next
        (if (i32.ge_u (local.get $from) (local.get $end))
          (then
            ;; The last code may lack its second byte.
            (br_if $damaged (i32.ne (local.get $from) (local.get $end)))
            (return (local.get $to))))
        ;; Both lengths of a code without a branch, which the processor could not predict.
        (local.set $code (i32.load8_u (local.get $from)))
        (local.set $isLong (i32.ge_u (local.get $code) (local.get $short)))
        (local.set $code
          (select
            (i32.add
              (i32.add
                (local.get $short)
                (i32.shl (i32.sub (local.get $code) (local.get $short)) (i32.const 8)))
              (i32.load8_u offset=1 (local.get $from)))
            (local.get $code)
            (local.get $isLong)))
        (local.set $from (i32.add (i32.add (local.get $from) (i32.const 1)) (local.get $isLong)))
        (local.set $symbol (i32.add (local.get $symbols) (i32.shl (local.get $code) (i32.const 4))))
        (local.set $length (i32.load8_u offset=15 (local.get $symbol)))
        (br_if $damaged (i32.eqz (local.get $length)))
        (br_if $damaged (i32.gt_u (i32.add (local.get $to) (local.get $length)) (local.get $limit)))
        (i64.store align=1 (local.get $to) (i64.load align=1 (local.get $symbol)))
        (i64.store offset=8 align=1 (local.get $to) (i64.load offset=8 align=1 (local.get $symbol)))
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

  ;; Writes the shortest codes of the bytes from $from to $end to $to. $edges and $codes are those of a SymbolTrie. $ways is
  ;; an area of 8 bytes for each byte of the text and its end: the size of the shortest codes from there on, and the first
  ;; of their symbols as (position of its edge << 4 | length). Overwrites the byte at $end, and writes up to a byte beyond
  ;; $limit. Returns the end of the codes, or 0 if they would exceed $limit or some byte has no symbol.
  (func (export "pack")
    (param $from i32) (param $end i32)
    (param $edges i32) (param $codes i32) (param $ways i32) (param $to i32) (param $limit i32)
    (result i32)
    (local $start i32) (local $way i32) (local $next i32) (local $nextWay i32)
    (local $byte i32) (local $base i32) (local $at i32) (local $edge i32)
    (local $size i32) (local $best i32) (local $symbol i32) (local $isShorter i32)
    ;; No symbol has this byte, so that none is longer than the text.
    (i32.store8 (local.get $end) (i32.const 0xff))
    (local.set $start (local.get $end))
    (local.set $way
      (i32.add (local.get $ways) (i32.shl (i32.sub (local.get $end) (local.get $from)) (i32.const 3))))
    (i32.store (local.get $way) (i32.const 0))
    (block $failed
      ;; From the last byte to the first.
      (loop $previous
        (if (i32.gt_u (local.get $start) (local.get $from))
          (then
            (local.set $start (i32.sub (local.get $start) (i32.const 1)))
            (local.set $way (i32.sub (local.get $way) (i32.const 8)))
            (local.set $next (local.get $start))
            (local.set $nextWay (local.get $way))
            (local.set $base (i32.const 1))
            ;; More than any size.
            (local.set $best (i32.const 0x1000000))
            (block $longest
              (loop $longer
                (local.set $byte (i32.load8_u (local.get $next)))
                (local.set $at (i32.add (local.get $base) (local.get $byte)))
                (local.set $edge (i32.load (i32.add (local.get $edges) (i32.shl (local.get $at) (i32.const 2)))))
                (br_if $longest
                  (i32.ne
                    (i32.and (local.get $edge) (i32.const 0x1ff))
                    (i32.add (local.get $byte) (i32.const 1))))
                (local.set $next (i32.add (local.get $next) (i32.const 1)))
                (local.set $nextWay (i32.add (local.get $nextWay) (i32.const 8)))
                (local.set $base (i32.shr_u (local.get $edge) (i32.const 11)))
                ;; Without branches, which the processor could not predict. Of equal sizes, the longer symbol remains.
                (local.set $size (i32.and (i32.shr_u (local.get $edge) (i32.const 9)) (i32.const 3)))
                (local.set $isShorter (local.get $size))
                (local.set $size (i32.add (local.get $size) (i32.load (local.get $nextWay))))
                (local.set $size
                  (select (local.get $size) (i32.const 0x1000001) (local.get $isShorter)))
                (local.set $isShorter (i32.le_u (local.get $size) (local.get $best)))
                (local.set $best (select (local.get $size) (local.get $best) (local.get $isShorter)))
                (local.set $symbol
                  (select
                    (i32.or
                      (i32.shl (local.get $at) (i32.const 4))
                      (i32.sub (local.get $next) (local.get $start)))
                    (local.get $symbol)
                    (local.get $isShorter)))
                (br $longer)))
            (br_if $failed (i32.eq (local.get $best) (i32.const 0x1000000)))
            (i32.store (local.get $way) (local.get $best))
            (i32.store offset=4 (local.get $way) (local.get $symbol))
            (br $previous))))
      (br_if $failed
        (i32.gt_u (i32.add (local.get $to) (i32.load (local.get $way))) (local.get $limit)))
      (loop $nextSymbol
        (if (i32.ge_u (local.get $from) (local.get $end)) (then (return (local.get $to))))
        (local.set $symbol (i32.load offset=4 (local.get $way)))
        (i32.store16 align=1
          (local.get $to)
          (i32.load16_u (i32.add (local.get $codes) (i32.shl (i32.shr_u (local.get $symbol) (i32.const 4)) (i32.const 1)))))
        (local.set $size (i32.load (local.get $way)))
        (local.set $symbol (i32.and (local.get $symbol) (i32.const 15)))
        (local.set $from (i32.add (local.get $from) (local.get $symbol)))
        (local.set $way (i32.add (local.get $way) (i32.shl (local.get $symbol) (i32.const 3))))
        (local.set $to
          (i32.add (local.get $to) (i32.sub (local.get $size) (i32.load (local.get $way)))))
        (br $nextSymbol)))
    (i32.const 0))
)
