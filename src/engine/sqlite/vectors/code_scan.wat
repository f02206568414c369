;; Estimates dot products of a query with pages of codes; see ../store/code_page.ts. Assembled into
;; code_scan_wasm.ts by `deno task wasm`.
;;
;; A block has the codes of 32 vectors: for each four dimensions 16 bytes, with the bits of vector i in the lower half of
;; byte i, those of vector 16 + i in the upper half. A table of the query has the sum for each of the 16 values of four
;; bits, as u8, which the swizzle instruction looks up for 16 vectors at once (André, Kermarrec & Le Scouarnec, "Cache
;; locality is not enough: high-performance nearest neighbor search with product quantization fast scan", VLDB 2015). The
;; relaxed one, which is undefined for indexes beyond 15, takes one machine instruction in place of two.
;; The caller limits the entries to 31, so that eight fit into a byte, and the sums to 16 bits.
(module
  (import "scan" "memory" (memory 1 65536))

  ;; Computes the scores of all vectors of a page: score = factor × (step × sum − bias) + offset. Writes those of at least
  ;; $threshold to $list, as pairs of the index of the vector and its f32 score, and returns their number. $scores is memory
  ;; for 32 f32.
  (func (export "scan")
    (param $codes i32) (param $factors i32) (param $offsets i32) (param $table i32) (param $segments i32)
    (param $blocks i32) (param $scores i32) (param $list i32)
    (param $step f32) (param $bias f32) (param $threshold f32)
    (result i32)
    (local $mask i32) (local $entry i32) (local $codesEnd i32)
    (local $lowBytes v128) (local $highBytes v128)
    (local $index i32) (local $listed i32) (local $firstIndex i32)
    (local $code v128) (local $sums v128) (local $found v128) (local $nibbles v128)
    (local $low v128) (local $lowOdd v128) (local $high v128) (local $highOdd v128)
    (local $stepLanes v128) (local $biasLanes v128) (local $thresholdLanes v128)

    (local.set $nibbles (i8x16.splat (i32.const 15)))
    (local.set $stepLanes (f32x4.splat (local.get $step)))
    (local.set $biasLanes (f32x4.splat (local.get $bias)))
    (local.set $thresholdLanes (f32x4.splat (local.get $threshold)))

    (block $done
      (loop $nextBlock
        (br_if $done (i32.eqz (local.get $blocks)))
        (local.set $entry (local.get $table))
        (local.set $codesEnd
          (i32.add (local.get $codes) (i32.shl (local.get $segments) (i32.const 4))))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $lowOdd (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (local.set $highOdd (v128.const i32x4 0 0 0 0))

        (loop $nextGroup
          (local.set $lowBytes (v128.const i32x4 0 0 0 0))
          (local.set $highBytes (v128.const i32x4 0 0 0 0))
          ;; Up to eight entries of the table fit into a byte.
          (if (i32.le_u (i32.add (local.get $codes) (i32.const 128)) (local.get $codesEnd))
            (then
              (local.set $code (v128.load offset=0 (local.get $codes)))
              (local.set $found (v128.load offset=0 (local.get $entry)))
              (local.set $lowBytes
                (i8x16.add
                  (local.get $lowBytes)
                  (i8x16.relaxed_swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles)))))
              (local.set $highBytes
                (i8x16.add
                  (local.get $highBytes)
                  (i8x16.relaxed_swizzle
                    (local.get $found)
                    (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles)))))
              (local.set $code (v128.load offset=16 (local.get $codes)))
              (local.set $found (v128.load offset=16 (local.get $entry)))
              (local.set $lowBytes
                (i8x16.add
                  (local.get $lowBytes)
                  (i8x16.relaxed_swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles)))))
              (local.set $highBytes
                (i8x16.add
                  (local.get $highBytes)
                  (i8x16.relaxed_swizzle
                    (local.get $found)
                    (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles)))))
              (local.set $code (v128.load offset=32 (local.get $codes)))
              (local.set $found (v128.load offset=32 (local.get $entry)))
              (local.set $lowBytes
                (i8x16.add
                  (local.get $lowBytes)
                  (i8x16.relaxed_swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles)))))
              (local.set $highBytes
                (i8x16.add
                  (local.get $highBytes)
                  (i8x16.relaxed_swizzle
                    (local.get $found)
                    (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles)))))
              (local.set $code (v128.load offset=48 (local.get $codes)))
              (local.set $found (v128.load offset=48 (local.get $entry)))
              (local.set $lowBytes
                (i8x16.add
                  (local.get $lowBytes)
                  (i8x16.relaxed_swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles)))))
              (local.set $highBytes
                (i8x16.add
                  (local.get $highBytes)
                  (i8x16.relaxed_swizzle
                    (local.get $found)
                    (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles)))))
              (local.set $code (v128.load offset=64 (local.get $codes)))
              (local.set $found (v128.load offset=64 (local.get $entry)))
              (local.set $lowBytes
                (i8x16.add
                  (local.get $lowBytes)
                  (i8x16.relaxed_swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles)))))
              (local.set $highBytes
                (i8x16.add
                  (local.get $highBytes)
                  (i8x16.relaxed_swizzle
                    (local.get $found)
                    (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles)))))
              (local.set $code (v128.load offset=80 (local.get $codes)))
              (local.set $found (v128.load offset=80 (local.get $entry)))
              (local.set $lowBytes
                (i8x16.add
                  (local.get $lowBytes)
                  (i8x16.relaxed_swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles)))))
              (local.set $highBytes
                (i8x16.add
                  (local.get $highBytes)
                  (i8x16.relaxed_swizzle
                    (local.get $found)
                    (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles)))))
              (local.set $code (v128.load offset=96 (local.get $codes)))
              (local.set $found (v128.load offset=96 (local.get $entry)))
              (local.set $lowBytes
                (i8x16.add
                  (local.get $lowBytes)
                  (i8x16.relaxed_swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles)))))
              (local.set $highBytes
                (i8x16.add
                  (local.get $highBytes)
                  (i8x16.relaxed_swizzle
                    (local.get $found)
                    (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles)))))
              (local.set $code (v128.load offset=112 (local.get $codes)))
              (local.set $found (v128.load offset=112 (local.get $entry)))
              (local.set $lowBytes
                (i8x16.add
                  (local.get $lowBytes)
                  (i8x16.relaxed_swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles)))))
              (local.set $highBytes
                (i8x16.add
                  (local.get $highBytes)
                  (i8x16.relaxed_swizzle
                    (local.get $found)
                    (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles)))))
              (local.set $entry (i32.add (local.get $entry) (i32.const 128)))
              (local.set $codes (i32.add (local.get $codes) (i32.const 128))))
            (else
              (loop $nextSegment
                (local.set $code (v128.load offset=0 (local.get $codes)))
                (local.set $found (v128.load offset=0 (local.get $entry)))
                (local.set $lowBytes
                  (i8x16.add
                    (local.get $lowBytes)
                    (i8x16.relaxed_swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles)))))
                (local.set $highBytes
                  (i8x16.add
                    (local.get $highBytes)
                    (i8x16.relaxed_swizzle
                      (local.get $found)
                      (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles)))))
                (local.set $entry (i32.add (local.get $entry) (i32.const 16)))
                (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
                (br_if $nextSegment (i32.lt_u (local.get $codes) (local.get $codesEnd))))))
          ;; Adds bytes in pairs, as u16, and the upper byte of each pair once more: the lower one is their difference.
          (local.set $low (i16x8.add (local.get $low) (local.get $lowBytes)))
          (local.set $lowOdd (i16x8.add (local.get $lowOdd) (i16x8.shr_u (local.get $lowBytes) (i32.const 8))))
          (local.set $high (i16x8.add (local.get $high) (local.get $highBytes)))
          (local.set $highOdd (i16x8.add (local.get $highOdd) (i16x8.shr_u (local.get $highBytes) (i32.const 8))))
          (br_if $nextGroup (i32.lt_u (local.get $codes) (local.get $codesEnd))))

        (local.set $low (i16x8.sub (local.get $low) (i16x8.shl (local.get $lowOdd) (i32.const 8))))
        (local.set $high (i16x8.sub (local.get $high) (i16x8.shl (local.get $highOdd) (i32.const 8))))
        (local.set $mask (i32.const 0))
        ;; Vectors 0 to 15, then 16 to 31, four at a time.
        (local.set $sums
          (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $low) (local.get $lowOdd)))
        (local.set $found
          (f32x4.add
            (f32x4.mul
              (v128.load offset=0 (local.get $factors))
              (f32x4.sub
                (f32x4.mul
                  (f32x4.convert_i32x4_u (i32x4.extend_low_i16x8_u (local.get $sums)))
                  (local.get $stepLanes))
                (local.get $biasLanes)))
            (v128.load offset=0 (local.get $offsets))))
        (v128.store offset=0 (local.get $scores) (local.get $found))
        (local.set $mask
          (i32.or
            (local.get $mask)
            (i32.shl
              (i32x4.bitmask (f32x4.ge (local.get $found) (local.get $thresholdLanes)))
              (i32.const 0))))
        (local.set $found
          (f32x4.add
            (f32x4.mul
              (v128.load offset=16 (local.get $factors))
              (f32x4.sub
                (f32x4.mul
                  (f32x4.convert_i32x4_u (i32x4.extend_high_i16x8_u (local.get $sums)))
                  (local.get $stepLanes))
                (local.get $biasLanes)))
            (v128.load offset=16 (local.get $offsets))))
        (v128.store offset=16 (local.get $scores) (local.get $found))
        (local.set $mask
          (i32.or
            (local.get $mask)
            (i32.shl
              (i32x4.bitmask (f32x4.ge (local.get $found) (local.get $thresholdLanes)))
              (i32.const 4))))
        (local.set $sums
          (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $low) (local.get $lowOdd)))
        (local.set $found
          (f32x4.add
            (f32x4.mul
              (v128.load offset=32 (local.get $factors))
              (f32x4.sub
                (f32x4.mul
                  (f32x4.convert_i32x4_u (i32x4.extend_low_i16x8_u (local.get $sums)))
                  (local.get $stepLanes))
                (local.get $biasLanes)))
            (v128.load offset=32 (local.get $offsets))))
        (v128.store offset=32 (local.get $scores) (local.get $found))
        (local.set $mask
          (i32.or
            (local.get $mask)
            (i32.shl
              (i32x4.bitmask (f32x4.ge (local.get $found) (local.get $thresholdLanes)))
              (i32.const 8))))
        (local.set $found
          (f32x4.add
            (f32x4.mul
              (v128.load offset=48 (local.get $factors))
              (f32x4.sub
                (f32x4.mul
                  (f32x4.convert_i32x4_u (i32x4.extend_high_i16x8_u (local.get $sums)))
                  (local.get $stepLanes))
                (local.get $biasLanes)))
            (v128.load offset=48 (local.get $offsets))))
        (v128.store offset=48 (local.get $scores) (local.get $found))
        (local.set $mask
          (i32.or
            (local.get $mask)
            (i32.shl
              (i32x4.bitmask (f32x4.ge (local.get $found) (local.get $thresholdLanes)))
              (i32.const 12))))
        (local.set $sums
          (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $high) (local.get $highOdd)))
        (local.set $found
          (f32x4.add
            (f32x4.mul
              (v128.load offset=64 (local.get $factors))
              (f32x4.sub
                (f32x4.mul
                  (f32x4.convert_i32x4_u (i32x4.extend_low_i16x8_u (local.get $sums)))
                  (local.get $stepLanes))
                (local.get $biasLanes)))
            (v128.load offset=64 (local.get $offsets))))
        (v128.store offset=64 (local.get $scores) (local.get $found))
        (local.set $mask
          (i32.or
            (local.get $mask)
            (i32.shl
              (i32x4.bitmask (f32x4.ge (local.get $found) (local.get $thresholdLanes)))
              (i32.const 16))))
        (local.set $found
          (f32x4.add
            (f32x4.mul
              (v128.load offset=80 (local.get $factors))
              (f32x4.sub
                (f32x4.mul
                  (f32x4.convert_i32x4_u (i32x4.extend_high_i16x8_u (local.get $sums)))
                  (local.get $stepLanes))
                (local.get $biasLanes)))
            (v128.load offset=80 (local.get $offsets))))
        (v128.store offset=80 (local.get $scores) (local.get $found))
        (local.set $mask
          (i32.or
            (local.get $mask)
            (i32.shl
              (i32x4.bitmask (f32x4.ge (local.get $found) (local.get $thresholdLanes)))
              (i32.const 20))))
        (local.set $sums
          (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $high) (local.get $highOdd)))
        (local.set $found
          (f32x4.add
            (f32x4.mul
              (v128.load offset=96 (local.get $factors))
              (f32x4.sub
                (f32x4.mul
                  (f32x4.convert_i32x4_u (i32x4.extend_low_i16x8_u (local.get $sums)))
                  (local.get $stepLanes))
                (local.get $biasLanes)))
            (v128.load offset=96 (local.get $offsets))))
        (v128.store offset=96 (local.get $scores) (local.get $found))
        (local.set $mask
          (i32.or
            (local.get $mask)
            (i32.shl
              (i32x4.bitmask (f32x4.ge (local.get $found) (local.get $thresholdLanes)))
              (i32.const 24))))
        (local.set $found
          (f32x4.add
            (f32x4.mul
              (v128.load offset=112 (local.get $factors))
              (f32x4.sub
                (f32x4.mul
                  (f32x4.convert_i32x4_u (i32x4.extend_high_i16x8_u (local.get $sums)))
                  (local.get $stepLanes))
                (local.get $biasLanes)))
            (v128.load offset=112 (local.get $offsets))))
        (v128.store offset=112 (local.get $scores) (local.get $found))
        (local.set $mask
          (i32.or
            (local.get $mask)
            (i32.shl
              (i32x4.bitmask (f32x4.ge (local.get $found) (local.get $thresholdLanes)))
              (i32.const 28))))

        (block $blockDone
          (loop $nextFound
            (br_if $blockDone (i32.eqz (local.get $mask)))
            (local.set $index (i32.ctz (local.get $mask)))
            (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
            (i32.store offset=0
              (i32.add (local.get $list) (i32.shl (local.get $listed) (i32.const 3)))
              (i32.add (local.get $firstIndex) (local.get $index)))
            (i32.store offset=4
              (i32.add (local.get $list) (i32.shl (local.get $listed) (i32.const 3)))
              (i32.load (i32.add (local.get $scores) (i32.shl (local.get $index) (i32.const 2)))))
            (local.set $listed (i32.add (local.get $listed) (i32.const 1)))
            (br $nextFound)))
        (local.set $firstIndex (i32.add (local.get $firstIndex) (i32.const 32)))
        (local.set $factors (i32.add (local.get $factors) (i32.const 128)))
        (local.set $offsets (i32.add (local.get $offsets) (i32.const 128)))
        (local.set $blocks (i32.sub (local.get $blocks) (i32.const 1)))
        (br $nextBlock)))
    (local.get $listed))

  ;; Writes the sum of table entries of each code of signs and sizes in $list to $sums. An entry of the list has two i32:
  ;; the address of the first byte of the signs, and the bit from which on each byte belongs to the vector. The sizes are
  ;; $toSizes behind the signs. For each four dimensions, the table has 256 f32, by sign bits and size bits. Reads four
  ;; codes at a time, to wait for memory less often: $count must be a multiple of four.
  (func (export "refine")
    (param $list i32) (param $count i32) (param $table i32) (param $segments i32) (param $toSizes i32) (param $sums i32)
    (local $entry i32) (local $tableEnd i32)
    (local $code0 i32) (local $shift0 i32) (local $sum0 f32)
    (local $code1 i32) (local $shift1 i32) (local $sum1 f32)
    (local $code2 i32) (local $shift2 i32) (local $sum2 f32)
    (local $code3 i32) (local $shift3 i32) (local $sum3 f32)
    (local.set $tableEnd (i32.add (local.get $table) (i32.shl (local.get $segments) (i32.const 10))))
    (block $done
      (loop $nextCodes
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $code0 (i32.load offset=0 (local.get $list)))
        (local.set $shift0 (i32.load offset=4 (local.get $list)))
        (local.set $sum0 (f32.const 0))
        (local.set $code1 (i32.load offset=8 (local.get $list)))
        (local.set $shift1 (i32.load offset=12 (local.get $list)))
        (local.set $sum1 (f32.const 0))
        (local.set $code2 (i32.load offset=16 (local.get $list)))
        (local.set $shift2 (i32.load offset=20 (local.get $list)))
        (local.set $sum2 (f32.const 0))
        (local.set $code3 (i32.load offset=24 (local.get $list)))
        (local.set $shift3 (i32.load offset=28 (local.get $list)))
        (local.set $sum3 (f32.const 0))
        (local.set $entry (local.get $table))
        (loop $nextSegment
          (local.set $sum0
            (f32.add
              (local.get $sum0)
              (f32.load
                (i32.add
                  (local.get $entry)
                  (i32.shl
                    (i32.or
                      (i32.and
                        (i32.shr_u (i32.load8_u (local.get $code0)) (local.get $shift0))
                        (i32.const 15))
                      (i32.shl
                        (i32.and
                          (i32.shr_u
                            (i32.load8_u (i32.add (local.get $code0) (local.get $toSizes)))
                            (local.get $shift0))
                          (i32.const 15))
                        (i32.const 4)))
                    (i32.const 2))))))
          (local.set $code0 (i32.add (local.get $code0) (i32.const 16)))
          (local.set $sum1
            (f32.add
              (local.get $sum1)
              (f32.load
                (i32.add
                  (local.get $entry)
                  (i32.shl
                    (i32.or
                      (i32.and
                        (i32.shr_u (i32.load8_u (local.get $code1)) (local.get $shift1))
                        (i32.const 15))
                      (i32.shl
                        (i32.and
                          (i32.shr_u
                            (i32.load8_u (i32.add (local.get $code1) (local.get $toSizes)))
                            (local.get $shift1))
                          (i32.const 15))
                        (i32.const 4)))
                    (i32.const 2))))))
          (local.set $code1 (i32.add (local.get $code1) (i32.const 16)))
          (local.set $sum2
            (f32.add
              (local.get $sum2)
              (f32.load
                (i32.add
                  (local.get $entry)
                  (i32.shl
                    (i32.or
                      (i32.and
                        (i32.shr_u (i32.load8_u (local.get $code2)) (local.get $shift2))
                        (i32.const 15))
                      (i32.shl
                        (i32.and
                          (i32.shr_u
                            (i32.load8_u (i32.add (local.get $code2) (local.get $toSizes)))
                            (local.get $shift2))
                          (i32.const 15))
                        (i32.const 4)))
                    (i32.const 2))))))
          (local.set $code2 (i32.add (local.get $code2) (i32.const 16)))
          (local.set $sum3
            (f32.add
              (local.get $sum3)
              (f32.load
                (i32.add
                  (local.get $entry)
                  (i32.shl
                    (i32.or
                      (i32.and
                        (i32.shr_u (i32.load8_u (local.get $code3)) (local.get $shift3))
                        (i32.const 15))
                      (i32.shl
                        (i32.and
                          (i32.shr_u
                            (i32.load8_u (i32.add (local.get $code3) (local.get $toSizes)))
                            (local.get $shift3))
                          (i32.const 15))
                        (i32.const 4)))
                    (i32.const 2))))))
          (local.set $code3 (i32.add (local.get $code3) (i32.const 16)))
          (local.set $entry (i32.add (local.get $entry) (i32.const 1024)))
          (br_if $nextSegment (i32.lt_u (local.get $entry) (local.get $tableEnd))))
        (f32.store offset=0 (local.get $sums) (local.get $sum0))
        (f32.store offset=4 (local.get $sums) (local.get $sum1))
        (f32.store offset=8 (local.get $sums) (local.get $sum2))
        (f32.store offset=12 (local.get $sums) (local.get $sum3))
        (local.set $list (i32.add (local.get $list) (i32.const 32)))
        (local.set $sums (i32.add (local.get $sums) (i32.const 16)))
        (local.set $count (i32.sub (local.get $count) (i32.const 4)))
        (br $nextCodes)))))
