;; Scores rows of a matrix against a query: computes an upper bound of each dot product. Assembled into scan_wasm.ts by
;; `deno task wasm`.
;;
;; A row is a quantized vector with its error terms:
;;
;;   byte 0             i8 × $dimensions, -127 to 127; $dimensions is a multiple of 16
;;   byte $dimensions   f32 × 4: scale, error, norm, 0
;;
;; The query has the same layout, but with i16 integers, and its last four values are the factors of those of each row. The
;; caller limits the integers of the query so that no sum overflows 32 bits.
(module
  (import "scan" "memory" (memory 1 65536))

  ;; $list: $count row numbers, i32. $out: receives $count scores, f32. $rows: address of row 0.
  (func (export "scan")
    (param $list i32) (param $count i32) (param $out i32) (param $rows i32) (param $dimensions i32) (param $query i32)
    (local $listEnd i32) (local $row i32) (local $rowEnd i32) (local $q i32)
    (local $even v128) (local $odd v128) (local $bound v128) (local $weights v128)

    (local.set $listEnd (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $weights
      (v128.load (i32.add (local.get $query) (i32.shl (local.get $dimensions) (i32.const 1)))))

    (block $done
      (loop $nextRow
        (br_if $done (i32.ge_u (local.get $list) (local.get $listEnd)))

        ;; A row is $dimensions + 16 bytes long.
        (local.set $row
          (i32.add
            (local.get $rows)
            (i32.mul (i32.load (local.get $list)) (i32.add (local.get $dimensions) (i32.const 16)))))
        (local.set $rowEnd (i32.add (local.get $row) (local.get $dimensions)))
        (local.set $q (local.get $query))
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))

        ;; Multiplies 16 integers per iteration, widened to 16 bits. The dot instruction adds adjacent products.
        (loop $nextIntegers
          (local.set $even
            (i32x4.add
              (local.get $even)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s (local.get $row))
                (v128.load (local.get $q)))))
          (local.set $odd
            (i32x4.add
              (local.get $odd)
              (i32x4.dot_i16x8_s
                (v128.load8x8_s offset=8 (local.get $row))
                (v128.load offset=16 (local.get $q)))))
          (local.set $q (i32.add (local.get $q) (i32.const 32)))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (br_if $nextIntegers (i32.lt_u (local.get $row) (local.get $rowEnd))))

        (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
        (local.set $bound (f32x4.mul (v128.load (local.get $rowEnd)) (local.get $weights)))
        (f32.store
          (local.get $out)
          (f32.add
            (f32.mul
              (f32.convert_i32_s
                (i32.add
                  (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
                  (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even)))))
              (f32x4.extract_lane 0 (local.get $bound)))
            (f32.add (f32x4.extract_lane 1 (local.get $bound)) (f32x4.extract_lane 2 (local.get $bound)))))

        (local.set $list (i32.add (local.get $list) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $nextRow)))))
