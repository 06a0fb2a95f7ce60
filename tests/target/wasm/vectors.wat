(module
  (import "host" "memory" (memory 1))
  (import "host" "base" (global $base i32))
  (func $first (param $0 i32) (result i32)
    (local $1 i32)
    local.get $0
    i32.const 0
    i32.lt_s
    if
      i32.const 5
      local.set $1
    else
      global.get $base
      local.get $0
      i32.const 4
      local.get $0
      i32.const 5
      i32.lt_u
      select
      i32.const 2
      i32.shl
      i32.add
      i32.load offset=528
      local.set $1
    end
    local.get $1
    return
  )
  (func $mix (param $0 f32) (param $1 f32) (param $2 f32) (param $3 f32) (param $4 f32) (param $5 f32) (param $6 f32) (result f32 f32 f32 f32)
    local.get $0
    local.get $3
    local.get $0
    f32.sub
    local.get $6
    f32.mul
    f32.add
    local.get $1
    local.get $4
    local.get $1
    f32.sub
    local.get $6
    f32.mul
    f32.add
    local.get $2
    local.get $5
    local.get $2
    f32.sub
    local.get $6
    f32.mul
    f32.add
    local.get $0
    local.get $3
    f32.mul
    local.get $1
    local.get $4
    f32.mul
    f32.add
    local.get $2
    local.get $5
    f32.mul
    f32.add
    return
  )
  (func $start
    global.get $base
    i32.const 528
    i32.add
    i32.const 0
    i32.const 20
    memory.init 0
  )
  (export "mix" (func $mix))
  (export "first" (func $first))
  (start $start)
  (data "\05\00\00\00\06\00\00\00\07\00\00\00\08\00\00\00\09\00\00\00")
)
