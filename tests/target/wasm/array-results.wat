(module
  (import "host" "memory" (memory 1))
  (import "host" "base" (global $base i32))
  (func $shift (param $0 i32) (param $1 i32) (result f32 f32)
    (local $2 i32) (local $3 f32) (local $4 f32)
    global.get $base
    local.set $2
    local.get $2
    local.get $0
    i32.load
    i32.store offset=528
    local.get $2
    local.get $0
    i32.load offset=4
    i32.store offset=532
    local.get $2
    local.get $0
    i32.load offset=8
    i32.store offset=536
    local.get $2
    local.get $0
    i32.load offset=12
    i32.store offset=540
    local.get $2
    local.get $0
    i32.load offset=16
    i32.store offset=544
    local.get $2
    local.get $0
    i32.load offset=20
    i32.store offset=548
    local.get $0
    local.get $2
    i32.const 552
    i32.add
    call $doubled
    local.get $2
    f32.load offset=528
    local.set $3
    local.get $2
    local.get $2
    i32.load offset=552
    i32.store offset=528
    local.get $2
    local.get $2
    i32.load offset=556
    i32.store offset=532
    local.get $2
    local.get $2
    i32.load offset=560
    i32.store offset=536
    local.get $2
    local.get $2
    i32.load offset=564
    i32.store offset=540
    local.get $2
    local.get $2
    i32.load offset=568
    i32.store offset=544
    local.get $2
    local.get $2
    i32.load offset=572
    i32.store offset=548
    local.get $2
    f32.load offset=540
    local.set $4
    local.get $2
    f32.const 5
    f32.store offset=540
    local.get $2
    local.get $2
    i32.load offset=528
    i32.store offset=576
    local.get $2
    local.get $2
    i32.load offset=532
    i32.store offset=580
    local.get $2
    local.get $2
    i32.load offset=536
    i32.store offset=584
    local.get $2
    local.get $2
    i32.load offset=540
    i32.store offset=588
    local.get $2
    local.get $2
    i32.load offset=544
    i32.store offset=592
    local.get $2
    local.get $2
    i32.load offset=548
    i32.store offset=596
    local.get $2
    local.get $4
    f32.store offset=588
    local.get $2
    i32.const 576
    i32.add
    local.get $2
    i32.const 600
    i32.add
    call $tens
    local.get $1
    local.get $2
    i32.load offset=600
    i32.store
    local.get $1
    local.get $2
    i32.load offset=604
    i32.store offset=4
    local.get $1
    local.get $2
    i32.load offset=608
    i32.store offset=8
    local.get $1
    local.get $2
    i32.load offset=612
    i32.store offset=12
    local.get $1
    local.get $2
    i32.load offset=616
    i32.store offset=16
    local.get $1
    local.get $2
    i32.load offset=620
    i32.store offset=20
    local.get $3
    local.get $4
    return
  )
  (func $tens (param $0 i32) (param $1 i32)
    local.get $1
    local.get $0
    f32.load
    f32.const 10
    f32.add
    f32.store
    local.get $1
    local.get $0
    f32.load offset=4
    f32.const 10
    f32.add
    f32.store offset=4
    local.get $1
    local.get $0
    f32.load offset=8
    f32.const 10
    f32.add
    f32.store offset=8
    local.get $1
    local.get $0
    f32.load offset=12
    f32.const 10
    f32.add
    f32.store offset=12
    local.get $1
    local.get $0
    f32.load offset=16
    f32.const 10
    f32.add
    f32.store offset=16
    local.get $1
    local.get $0
    f32.load offset=20
    f32.const 10
    f32.add
    f32.store offset=20
    return
  )
  (func $doubled (param $0 i32) (param $1 i32)
    (local $2 i32) (local $3 i32) (local $4 i32) (local $5 f32)
    global.get $base
    local.set $3
    local.get $3
    local.get $0
    i32.load
    i32.store offset=624
    local.get $3
    local.get $0
    i32.load offset=4
    i32.store offset=628
    local.get $3
    local.get $0
    i32.load offset=8
    i32.store offset=632
    local.get $3
    local.get $0
    i32.load offset=12
    i32.store offset=636
    local.get $3
    local.get $0
    i32.load offset=16
    i32.store offset=640
    local.get $3
    local.get $0
    i32.load offset=20
    i32.store offset=644
    i32.const 0
    local.set $2
    block
      loop
        local.get $2
        i32.const 6
        i32.ge_s
        br_if 1
        local.get $3
        local.get $2
        i32.const 2
        i32.shl
        i32.add
        local.set $4
        local.get $4
        f32.load offset=624
        local.set $5
        local.get $4
        local.get $5
        local.get $5
        f32.add
        f32.store offset=624
        local.get $2
        i32.const 1
        i32.add
        local.set $2
        br 0
      end
    end
    local.get $1
    local.get $3
    i32.load offset=624
    i32.store
    local.get $1
    local.get $3
    i32.load offset=628
    i32.store offset=4
    local.get $1
    local.get $3
    i32.load offset=632
    i32.store offset=8
    local.get $1
    local.get $3
    i32.load offset=636
    i32.store offset=12
    local.get $1
    local.get $3
    i32.load offset=640
    i32.store offset=16
    local.get $1
    local.get $3
    i32.load offset=644
    i32.store offset=20
    return
  )
  (export "shift" (func $shift))
)
