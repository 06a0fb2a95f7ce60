import { attach } from 'cotangent/gpu'
import { float, storage } from 'three/tsl'
import * as THREE from 'three/webgpu'
import program from './settle.slang'

/** What the types of three.js leave out: the buffer of an attribute. */
type Backend = THREE.Backend & { get(attribute: THREE.BufferAttribute): { buffer: GPUBuffer } }

const count = 20_000
const canvas = document.querySelector('canvas')!
const button = document.querySelector('button')!
const message = document.querySelector('p')!

/** Points in a cube: x, y, z, 1, … */
const scattered = () =>
  new Float32Array(4 * count).map((_, i) => (i % 4 === 3 ? 1 : Math.random() * 4 - 2))

async function main(): Promise<void> {
  const adapter = await navigator.gpu?.requestAdapter()
  if (!adapter) throw new Error('This page needs WebGPU, which this browser or this machine does not have.')
  const device = await adapter.requestDevice()

  // three.js and Cotangent share the device …
  const renderer = new THREE.WebGPURenderer({ canvas, device, alpha: true })
  await renderer.init()
  const positions = new THREE.StorageInstancedBufferAttribute(scattered(), 4)
  const material = new THREE.SpriteNodeMaterial({ color: 'tomato' })
  material.positionNode = storage(positions, 'vec4', count).toAttribute().xyz
  // The scale of the sprite itself would move the points, too.
  material.scaleNode = float(0.01)
  const points = new THREE.Sprite(material)
  points.count = count
  points.frustumCulled = false
  const scene = new THREE.Scene()
  scene.add(points)
  const camera = new THREE.PerspectiveCamera(50)
  camera.position.set(0, 2, 3)
  camera.lookAt(0, 0, 0)

  // … and the buffer of the positions, which is there once three.js has drawn it.
  const resize = (): void => {
    camera.aspect = innerWidth / innerHeight
    camera.updateProjectionMatrix()
    renderer.setSize(innerWidth, innerHeight, false)
  }
  addEventListener('resize', resize)
  resize()
  renderer.render(scene, camera)
  const { buffer } = (renderer.backend as Backend).get(positions)
  const g = await attach(program, device)
  const settle = g.kernel('settle').bind({ buffers: { positions: buffer }, uniforms: { rate: 0.02 } })

  button.hidden = false
  button.addEventListener('click', () => device.queue.writeBuffer(buffer, 0, scattered()))
  await renderer.setAnimationLoop(() => {
    settle.dispatch([Math.ceil(count / 64), 1, 1])
    renderer.render(scene, camera)
  })
}

main().catch((error: unknown) => {
  message.textContent = error instanceof Error ? error.message : String(error)
})
