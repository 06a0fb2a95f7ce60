(module
  (memory (export "memory") 1)
  (func $sum (param $0 f32) (result f32)
    (local $1 i32) (local $2 i32) (local $3 f32) (local $4 i32) (local $5 f32)
    i32.const 0
    i64.const 0
    i64.store offset=528
    i32.const 0
    i64.const 0
    i64.store offset=536
    i32.const 0
    i64.const 0
    i64.store offset=544
    i32.const 0
    i64.const 0
    i64.store offset=552
    i32.const 0
    i64.const 0
    i64.store offset=560
    i32.const 0
    i64.const 0
    i64.store offset=568
    i32.const 0
    i64.const 0
    i64.store offset=576
    i32.const 0
    i64.const 0
    i64.store offset=584
    i32.const 0
    i64.const 0
    i64.store offset=592
    i32.const 0
    i64.const 0
    i64.store offset=600
    i32.const 0
    i64.const 0
    i64.store offset=608
    i32.const 0
    i64.const 0
    i64.store offset=616
    i32.const 0
    i64.const 0
    i64.store offset=624
    i32.const 0
    i64.const 0
    i64.store offset=632
    i32.const 0
    i64.const 0
    i64.store offset=640
    i32.const 0
    i64.const 0
    i64.store offset=648
    i32.const 0
    local.set $1
    block
      loop
        local.get $1
        i32.const 32
        i32.ge_s
        br_if 1
        local.get $1
        i32.const 2
        i32.shl
        local.get $1
        f32.convert_i32_s
        local.get $0
        f32.mul
        f32.store offset=528
        local.get $1
        i32.const 1
        i32.add
        local.set $1
        br 0
      end
    end
    local.get $1
    local.set $2
    f32.const 0
    local.set $3
    block
      loop
        local.get $2
        i32.const 0
        i32.le_s
        br_if 1
        local.get $2
        i32.const 1
        i32.sub
        local.set $4
        local.get $4
        i32.const 2
        i32.shl
        f32.load offset=528
        local.set $5
        local.get $4
        local.get $3
        local.get $5
        local.get $5
        f32.mul
        f32.add
        local.set $3
        local.set $2
        br 0
      end
    end
    local.get $3
    return
  )
  (export "sum" (func $sum))
)
