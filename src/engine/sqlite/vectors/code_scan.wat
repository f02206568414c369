;; Estimates dot products of a query with pages of sign codes; see ../store/code_page.ts. Assembled into
;; code_scan_wasm.ts by `deno task wasm`.
;;
;; A block has the codes of 32 vectors: for each four dimensions 16 bytes, with the bits of vector i in the lower half of
;; byte i, those of vector 16 + i in the upper half. A table of the query has the sum for each of the 16 values of four
;; bits, as u8, which the swizzle instruction looks up for 16 vectors at once (André, Kermarrec & Le Scouarnec, "Cache
;; locality is not enough: high-performance nearest neighbor search with product quantization fast scan", VLDB 2015).
;; The caller limits the sums so that none exceeds 16 bits.
(module
  (import "scan" "memory" (memory 1 65536))

  ;; Writes 32 f32 scores per block to $scores, and a bit for each score of at least $threshold to $masks:
  ;; score = factor × (step × sum − bias) + offset.
  (func (export "scan")
    (param $codes i32) (param $factors i32) (param $offsets i32) (param $table i32) (param $segments i32)
    (param $blocks i32) (param $scores i32) (param $masks i32)
    (param $step f32) (param $bias f32) (param $threshold f32)
    (local $mask i32) (local $entry i32) (local $codesEnd i32)
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

        ;; Adds bytes in pairs, as u16, and the upper byte of each pair once more: the lower one is their difference.
        (loop $nextSegment
          (local.set $code (v128.load (local.get $codes)))
          (local.set $found (v128.load (local.get $entry)))
          (local.set $sums
            (i8x16.swizzle (local.get $found) (v128.and (local.get $code) (local.get $nibbles))))
          (local.set $low (i16x8.add (local.get $low) (local.get $sums)))
          (local.set $lowOdd (i16x8.add (local.get $lowOdd) (i16x8.shr_u (local.get $sums) (i32.const 8))))
          (local.set $sums
            (i8x16.swizzle
              (local.get $found)
              (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $nibbles))))
          (local.set $high (i16x8.add (local.get $high) (local.get $sums)))
          (local.set $highOdd (i16x8.add (local.get $highOdd) (i16x8.shr_u (local.get $sums) (i32.const 8))))
          (local.set $entry (i32.add (local.get $entry) (i32.const 16)))
          (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
          (br_if $nextSegment (i32.lt_u (local.get $codes) (local.get $codesEnd))))

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
        (i32.store (local.get $masks) (local.get $mask))
        (local.set $masks (i32.add (local.get $masks) (i32.const 4)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 128)))
        (local.set $factors (i32.add (local.get $factors) (i32.const 128)))
        (local.set $offsets (i32.add (local.get $offsets) (i32.const 128)))
        (local.set $blocks (i32.sub (local.get $blocks) (i32.const 1)))
        (br $nextBlock)))))
