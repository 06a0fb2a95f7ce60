(module
  (import "host" "memory" (memory 1))
  (import "host" "base" (global $base i32))
  (func $sum (param $0 f32) (result f32)
    (local $1 i32) (local $2 i32) (local $3 f32) (local $4 i32) (local $5 i32) (local $6 f32)
    global.get $base
    local.set $4
    local.get $4
    i64.const 0
    i64.store offset=528
    local.get $4
    i64.const 0
    i64.store offset=536
    local.get $4
    i64.const 0
    i64.store offset=544
    local.get $4
    i64.const 0
    i64.store offset=552
    local.get $4
    i64.const 0
    i64.store offset=560
    local.get $4
    i64.const 0
    i64.store offset=568
    local.get $4
    i64.const 0
    i64.store offset=576
    local.get $4
    i64.const 0
    i64.store offset=584
    local.get $4
    i64.const 0
    i64.store offset=592
    local.get $4
    i64.const 0
    i64.store offset=600
    local.get $4
    i64.const 0
    i64.store offset=608
    local.get $4
    i64.const 0
    i64.store offset=616
    local.get $4
    i64.const 0
    i64.store offset=624
    local.get $4
    i64.const 0
    i64.store offset=632
    local.get $4
    i64.const 0
    i64.store offset=640
    local.get $4
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
        local.get $4
        local.get $1
        i32.const 2
        i32.shl
        i32.add
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
        local.set $5
        local.get $4
        local.get $5
        i32.const 2
        i32.shl
        i32.add
        f32.load offset=528
        local.set $6
        local.get $5
        local.get $3
        local.get $6
        local.get $6
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
