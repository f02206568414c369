;; Computes dot products of a query with stored vectors of 10 bits per dimension; see ../store/stored_vector.ts, whose
;; storedDotProduct makes the same additions in the same order, so that the results are equal. Assembled into
;; stored_dot_wasm.ts by `deno task wasm`.
(module
  (import "scan" "memory" (memory 1 65536))

  ;; Reads each 64 bytes of the $count vectors of $bytes bytes whose i32 addresses are in $list, so that they are in the cache
  ;; of the processor: it waits for many at once, while the products wait for one after the other. Returns a number that
  ;; depends on all of them, since a compiler may omit other reads.
  (func (export "touch")
    (param $list i32) (param $count i32) (param $bytes i32)
    (result i32)
    (local $address i32) (local $end i32) (local $read i32)
    (block $done
      (loop $nextVector
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $address (i32.load (local.get $list)))
        (local.set $end (i32.add (local.get $address) (local.get $bytes)))
        (loop $nextLine
          (local.set $read (i32.or (local.get $read) (i32.load8_u (local.get $address))))
          (local.set $address (i32.add (local.get $address) (i32.const 64)))
          (br_if $nextLine (i32.lt_u (local.get $address) (local.get $end))))
        (local.set $list (i32.add (local.get $list) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $nextVector)))
    (local.get $read))

  ;; Writes an f64 to $products for each of the $count vectors whose i32 addresses are in $list: NaN if the product is
  ;; certainly less than $threshold. An upper bound of it is, without the lower 2 bits of each integer,
  ;; largest / 511 × ($factor × (the upper 8 bits · $quantized) + $constant), which takes a tenth of the time.
  ;; $quantized has the query as i16, with zeros up to a multiple of 16 dimensions; no sum may exceed 31 bits.
  (func (export "products")
    (param $list i32) (param $count i32) (param $dimensions i32) (param $query i32) (param $products i32)
    (param $quantized i32) (param $factor f64) (param $constant f64) (param $threshold f64)
    (local $vector i32) (local $high i32) (local $low i32) (local $number i32) (local $index i32)
    (local $integers v128) (local $numbers v128) (local $sums01 v128) (local $sums23 v128) (local $sum f64)
    (local $end i32) (local $scale f64) (local $bytes v128) (local $sums v128)
    (block $done
      (loop $nextVector
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $vector (i32.load (local.get $list)))
        (local.set $scale (f64.div (f64.promote_f32 (f32.load (local.get $vector))) (f64.const 511)))
        (local.set $high (i32.add (local.get $vector) (i32.const 4)))
        (local.set $low (i32.add (local.get $high) (local.get $dimensions)))

        (local.set $sums (v128.const i32x4 0 0 0 0))
        (local.set $number (local.get $quantized))
        (loop $nextSixteen
          (local.set $bytes (v128.load (local.get $high)))
          (local.set $sums
            (i32x4.add
              (local.get $sums)
              (i32x4.add
                (i32x4.dot_i16x8_s
                  (i16x8.extend_low_i8x16_s (local.get $bytes))
                  (v128.load offset=0 (local.get $number)))
                (i32x4.dot_i16x8_s
                  (i16x8.extend_high_i8x16_s (local.get $bytes))
                  (v128.load offset=16 (local.get $number))))))
          (local.set $high (i32.add (local.get $high) (i32.const 16)))
          (local.set $number (i32.add (local.get $number) (i32.const 32)))
          (br_if $nextSixteen (i32.lt_u (local.get $high) (local.get $low))))
        (local.set $sums01
          (f64x2.add
            (f64x2.convert_low_i32x4_s (local.get $sums))
            (f64x2.convert_low_i32x4_s
              (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $sums) (local.get $sums)))))
        (if
          (f64.lt
            (f64.mul
              (local.get $scale)
              (f64.add
                (f64.mul
                  (local.get $factor)
                  (f64.add (f64x2.extract_lane 0 (local.get $sums01)) (f64x2.extract_lane 1 (local.get $sums01))))
                (local.get $constant)))
            (local.get $threshold))
          (then
            (f64.store (local.get $products) (f64.const nan))
            (local.set $list (i32.add (local.get $list) (i32.const 4)))
            (local.set $products (i32.add (local.get $products) (i32.const 8)))
            (local.set $count (i32.sub (local.get $count) (i32.const 1)))
            (br $nextVector)))

        (local.set $high (i32.add (local.get $vector) (i32.const 4)))
        (local.set $number (local.get $query))
        (local.set $index (i32.const 4))
        (local.set $sums01 (v128.const i32x4 0 0 0 0))
        (local.set $sums23 (v128.const i32x4 0 0 0 0))

        (block $foursDone
          (loop $nextFour
            (br_if $foursDone (i32.gt_u (local.get $index) (local.get $dimensions)))
            ;; The upper 8 bits of four integers, and 2 bits each of a byte, which factors shift to the same position.
            (local.set $integers
              (i32x4.add
                (i32x4.shl
                  (i32x4.extend_low_i16x8_s (i16x8.extend_low_i8x16_s (v128.load32_zero (local.get $high))))
                  (i32.const 2))
                (v128.and
                  (i32x4.shr_u
                    (i32x4.mul
                      (i32x4.splat (i32.load8_u (local.get $low)))
                      (v128.const i32x4 64 16 4 1))
                    (i32.const 6))
                  (v128.const i32x4 3 3 3 3))))
            (local.set $numbers (v128.load (local.get $number)))
            (local.set $sums01
              (f64x2.add
                (local.get $sums01)
                (f64x2.mul
                  (f64x2.promote_low_f32x4 (local.get $numbers))
                  (f64x2.convert_low_i32x4_s (local.get $integers)))))
            (local.set $sums23
              (f64x2.add
                (local.get $sums23)
                (f64x2.mul
                  (f64x2.promote_low_f32x4
                    (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $numbers) (local.get $numbers)))
                  (f64x2.convert_low_i32x4_s
                    (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $integers) (local.get $integers))))))
            (local.set $high (i32.add (local.get $high) (i32.const 4)))
            (local.set $low (i32.add (local.get $low) (i32.const 1)))
            (local.set $number (i32.add (local.get $number) (i32.const 16)))
            (local.set $index (i32.add (local.get $index) (i32.const 4)))
            (br $nextFour)))

        ;; Up to three dimensions remain, whose lower bits are in one byte.
        (local.set $sum (f64x2.extract_lane 0 (local.get $sums01)))
        (local.set $index (i32.const 0))
        (block $restDone
          (loop $nextOfRest
            (br_if $restDone (i32.ge_u (local.get $index) (i32.and (local.get $dimensions) (i32.const 3))))
            (local.set $sum
              (f64.add
                (local.get $sum)
                (f64.mul
                  (f64.promote_f32 (f32.load (local.get $number)))
                  (f64.convert_i32_s
                    (i32.add
                      (i32.shl (i32.load8_s (local.get $high)) (i32.const 2))
                      (i32.and
                        (i32.shr_u
                          (i32.load8_u (local.get $low))
                          (i32.shl (local.get $index) (i32.const 1)))
                        (i32.const 3)))))))
            (local.set $high (i32.add (local.get $high) (i32.const 1)))
            (local.set $number (i32.add (local.get $number) (i32.const 4)))
            (local.set $index (i32.add (local.get $index) (i32.const 1)))
            (br $nextOfRest)))

        (f64.store
          (local.get $products)
          (f64.mul
            (local.get $scale)
            (f64.add
              (f64.add
                (f64.add (local.get $sum) (f64x2.extract_lane 1 (local.get $sums01)))
                (f64x2.extract_lane 0 (local.get $sums23)))
              (f64x2.extract_lane 1 (local.get $sums23)))))
        (local.set $list (i32.add (local.get $list) (i32.const 4)))
        (local.set $products (i32.add (local.get $products) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $nextVector)))))
