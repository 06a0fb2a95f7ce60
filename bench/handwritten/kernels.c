/* Gradients by hand for one CPU core: those of the WGSL beside this file, in C. bench/cpu.mjs builds it by `gcc -O3` and runs
 *   kernels NAME THREADS ROUNDS INPUT OUTPUT
 * It reads floats, prints the seconds of each round on a line, and writes the gradients. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  float x, y, z;
} v3;

static inline v3 vec(float x, float y, float z) { return (v3){x, y, z}; }
static inline v3 at(const float *p) { return vec(p[0], p[1], p[2]); }
static inline void put(float *p, v3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline v3 add(v3 a, v3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline v3 sub(v3 a, v3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline v3 mul(v3 a, v3 b) { return vec(a.x * b.x, a.y * b.y, a.z * b.z); }
static inline v3 scale(v3 a, float s) { return vec(a.x * s, a.y * s, a.z * s); }
static inline float dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 normalize(v3 a) { return scale(a, 1.0f / sqrtf(dot(a, a))); }
static inline v3 all(float s) { return vec(s, s, s); }
static inline float larger(float a, float b) { return a > b ? a : b; }
static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float clamp01(float a) { return smaller(larger(a, 0.0f), 1.0f); }

/* ── 02_loop ── */

static void loop(const float *in, float *out, int i) {
  in += 4 * i, out += 4 * i;
  float a = in[2], b = in[3], x = in[0], y = in[1];
  float xs[65], ys[65];
  int n = 0, escaped = 0;
  xs[0] = x, ys[0] = y;
  while (n < 64) {
    float nx = x + 0.05f * (y - a * x);
    y += 0.05f * (sinf(b * x) - 0.1f * y);
    x = nx;
    n++;
    xs[n] = x, ys[n] = y;
    if (x * x + y * y > 9.0f) {
      escaped = 1;
      break;
    }
  }
  float dx = x, dy = 0, da = 0, db = 0;
  for (; n > 0; n--) {
    if (!escaped && xs[n] >= 0) dx += ys[n], dy += xs[n];
    escaped = 0;
    float px = xs[n - 1], c = 0.05f * cosf(b * px) * dy, t = dx;
    da -= 0.05f * px * dx;
    db += c * px;
    dx = dx * (1.0f - 0.05f * a) + c * b;
    dy = dy * 0.995f + 0.05f * t;
  }
  out[0] = dx, out[1] = dy, out[2] = da, out[3] = db;
}

/* ── 04_mlp ── */

enum { W1 = 0, B1 = 32, W2 = 40, B2 = 104, W3 = 112, B3 = 120, weights = 121 };

static void mlp(const float *in, float *out, int i) {
  const float *x = in + weights + 5 * i;
  out += weights * i;
  float h1[8], h2[8], d1[8] = {0};
  for (int r = 0; r < 8; r++) {
    const float *w = in + W1 + 4 * r;
    h1[r] = tanhf(in[B1 + r] + w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + w[3] * x[3]);
  }
  float y = in[B3];
  for (int r = 0; r < 8; r++) {
    float sum = in[B2 + r];
    for (int c = 0; c < 8; c++) sum += in[W2 + 8 * r + c] * h1[c];
    h2[r] = tanhf(sum);
    y += in[W3 + r] * h2[r];
  }
  float dy = 2.0f * (y - x[4]);
  out[B3] = dy;
  for (int r = 0; r < 8; r++) {
    out[W3 + r] = dy * h2[r];
    float d = dy * in[W3 + r] * (1.0f - h2[r] * h2[r]);
    out[B2 + r] = d;
    for (int c = 0; c < 8; c++) {
      out[W2 + 8 * r + c] = d * h1[c];
      d1[c] += d * in[W2 + 8 * r + c];
    }
  }
  for (int r = 0; r < 8; r++) {
    float d = d1[r] * (1.0f - h1[r] * h1[r]);
    out[B1 + r] = d;
    for (int c = 0; c < 4; c++) out[W1 + 4 * r + c] = d * x[c];
  }
}

/* ── 05_gauss2d ── */

enum { splats = 12 };

static void gauss2d(const float *in, float *out, int k) {
  in += k / 64 * splats * 9, out += k * splats * 9;
  float px = (float)(k % 8), py = (float)(k / 8 % 8), tr = 1;
  float alphas[splats] = {0}, trs[splats];
  v3 behind = vec(0.05f, 0.05f, 0.1f), color = all(0);
  for (int i = 0; i < splats; i++) {
    const float *g = in + 9 * i;
    float x = px - g[0], y = py - g[1];
    float power = -0.5f * (g[2] * x * x + g[4] * y * y) - g[3] * x * y;
    float alpha = smaller(0.99f, g[5] * expf(power));
    if (alpha < 1.0f / 255.0f) continue;
    alphas[i] = alpha, trs[i] = tr;
    color = add(color, scale(at(g + 6), alpha * tr));
    tr *= 1.0f - alpha;
    if (tr < 1e-3f) break;
  }
  v3 dc = scale(sub(add(color, scale(behind, tr)), vec(0.4f, 0.5f, 0.6f)), 2.0f);
  for (int i = splats - 1; i >= 0; i--) {
    const float *g = in + 9 * i;
    float *o = out + 9 * i, alpha = alphas[i];
    if (alpha == 0) {
      memset(o, 0, 9 * sizeof *o);
      continue;
    }
    v3 c = at(g + 6);
    float dalpha = trs[i] * dot(dc, sub(c, behind));
    behind = add(behind, scale(sub(c, behind), alpha));
    float d = alpha < 0.99f ? dalpha * alpha : 0, x = px - g[0], y = py - g[1];
    o[0] = d * (g[2] * x + g[3] * y);
    o[1] = d * (g[4] * y + g[3] * x);
    o[2] = -0.5f * d * x * x;
    o[3] = -d * x * y;
    o[4] = -0.5f * d * y * y;
    o[5] = d / g[5];
    put(o + 6, scale(dc, alpha * trs[i]));
  }
}

/* ── 06_brdf ── */

static void brdf(const float *in, float *out, int k8) {
  in += 8 * k8, out += 8 * k8;
  const float pi = 3.14159265f;
  const v3 v = normalize(vec(0.2f, 0.1f, 1.0f)), light = vec(2.0f, 1.9f, 1.8f), one = all(1);
  v3 albedo = at(in), raw = at(in + 5);
  float rough = in[3], metal = in[4], len = sqrtf(dot(raw, raw));
  v3 n = scale(raw, 1.0f / len);
  float rawNv = dot(n, v), nv = larger(rawNv, 1e-3f);
  v3 f0 = add(scale(all(0.04f), 1.0f - metal), scale(albedo, metal));
  float a2 = rough * rough * rough * rough, k = (rough + 1) * (rough + 1) / 8;
  float vden = nv * (1 - k) + k, gv = nv / vden;
  struct {
    v3 l, h, f;
    float m5, q, dist, gl, s;
  } of[4];
  v3 sum = all(0);
  for (int i = 0; i < 4; i++) {
    float angle = (float)i * 1.7f + 0.3f;
    v3 l = normalize(vec(cosf(angle), sinf(angle), 1.2f)), h = normalize(add(v, l));
    float nl = larger(dot(n, l), 1e-3f), nh = larger(dot(n, h), 0);
    float m = clamp01(1 - larger(dot(v, h), 0)), m5 = m * m * m * m * m;
    v3 f = add(f0, scale(sub(one, f0), m5));
    float q = nh * nh * (a2 - 1) + 1, dist = a2 / (pi * q * q + 1e-6f);
    float gl = nl / (nl * (1 - k) + k), s = dist * gv * gl / (4 * nv * nl);
    v3 diffuse = scale(mul(sub(one, f), albedo), (1 - metal) / pi);
    sum = add(sum, scale(mul(add(diffuse, scale(f, s)), light), nl / (1.0f + (float)i)));
    of[i].l = l, of[i].h = h, of[i].f = f, of[i].m5 = m5, of[i].q = q, of[i].dist = dist, of[i].gl = gl, of[i].s = s;
  }
  v3 dc = scale(sub(sum, vec(0.4f, 0.3f, 0.2f)), 2.0f);
  v3 dAlbedo = all(0), dF0 = all(0), dN = all(0);
  float dMetal = 0, dA2 = 0, dK = 0, dNv = 0;
  for (int i = 0; i < 4; i++) {
    v3 l = of[i].l, h = of[i].h, f = of[i].f;
    float rawNl = dot(n, l), rawNh = dot(n, h), nl = larger(rawNl, 1e-3f), nh = larger(rawNh, 0);
    float q = of[i].q, dist = of[i].dist, invD = 1 / (pi * q * q + 1e-6f), lden = nl * (1 - k) + k, gl = of[i].gl;
    float g = gv * gl, den = 1 / (4 * nv * nl), s = of[i].s;
    v3 kd = scale(sub(one, f), 1 - metal), w = scale(mul(dc, light), 1 / (1.0f + (float)i));
    float dNl = dot(w, add(scale(mul(kd, albedo), 1 / pi), scale(f, s)));
    v3 dX = scale(w, nl), dKd = scale(mul(dX, albedo), 1 / pi);
    dAlbedo = add(dAlbedo, scale(mul(dX, kd), 1 / pi));
    v3 dF = sub(scale(dX, s), scale(dKd, 1 - metal));
    dMetal -= dot(dKd, sub(one, f));
    dF0 = add(dF0, scale(dF, 1 - of[i].m5));
    float dS = dot(dX, f);
    dNv -= dS * s / nv;
    dNl -= dS * s / nl;
    float dDist = dS * g * den, dG = dS * dist * den, dGv = dG * gl, dGl = dG * gv;
    dNl += dGl * k / (lden * lden);
    dK -= dGl * nl * (1 - nl) / (lden * lden);
    dNv += dGv * k / (vden * vden);
    dK -= dGv * nv * (1 - nv) / (vden * vden);
    float dQ = -dDist * dist * invD * 2 * pi * q;
    dA2 += dDist * invD + dQ * nh * nh;
    if (rawNl > 1e-3f) dN = add(dN, scale(l, dNl));
    if (rawNh > 0) dN = add(dN, scale(h, dQ * 2 * nh * (a2 - 1)));
  }
  if (rawNv > 1e-3f) dN = add(dN, scale(v, dNv));
  put(out, add(dAlbedo, scale(dF0, metal)));
  out[3] = 4 * rough * rough * rough * dA2 + (rough + 1) * 0.25f * dK;
  out[4] = dMetal + dot(dF0, sub(albedo, all(0.04f)));
  put(out + 5, scale(sub(dN, scale(n, dot(n, dN))), 1 / len));
}

/* ── 07_sdf ── */

typedef struct {
  v3 center;
  float radius;
  v3 half;
  float k;
} shape;

static const v3 box = {0.6f, -0.2f, 0.3f};

static inline float distance_to(const shape *s, v3 p) {
  v3 r = sub(p, s->center), e = sub(p, box);
  float a = sqrtf(dot(r, r)) - s->radius;
  v3 q = sub(vec(fabsf(e.x), fabsf(e.y), fabsf(e.z)), s->half);
  v3 m = vec(larger(q.x, 0), larger(q.y, 0), larger(q.z, 0));
  float b = sqrtf(dot(m, m) + 1e-8f) + smaller(larger(q.x, larger(q.y, q.z)), 0);
  float h = clamp01(0.5f + 0.5f * (b - a) / s->k);
  return smaller(b + (a - b) * h - s->k * h * (1 - h), p.y + 0.9f);
}

/* Adds w times the derivative of the distance by the shape to d; gives w times that by p. */
static v3 adjoint(const shape *s, shape *d, v3 p, float w) {
  v3 r = sub(p, s->center), e = sub(p, box);
  float len = sqrtf(dot(r, r)), a = len - s->radius;
  v3 q = sub(vec(fabsf(e.x), fabsf(e.y), fabsf(e.z)), s->half);
  v3 m = vec(larger(q.x, 0), larger(q.y, 0), larger(q.z, 0));
  float ml = sqrtf(dot(m, m) + 1e-8f), inner = larger(q.x, larger(q.y, q.z)), b = ml + smaller(inner, 0);
  float u = 0.5f + 0.5f * (b - a) / s->k, h = clamp01(u);
  if (b + (a - b) * h - s->k * h * (1 - h) > p.y + 0.9f) return vec(0, w, 0);
  float da = w * h, db = w * (1 - h), dk = -w * h * (1 - h);
  if (u > 0 && u < 1) {
    float dh = w * ((a - b) - s->k * (1 - 2 * h)) * 0.5f / s->k;
    da -= dh;
    db += dh;
    dk -= dh * (b - a) / s->k;
  }
  d->k += dk;
  d->radius -= da;
  v3 ds = scale(r, da / len);
  d->center = sub(d->center, ds);
  v3 dq = scale(m, db / ml);
  if (inner < 0) {
    if (q.x >= larger(q.y, q.z)) dq.x += db;
    else if (q.y >= q.z) dq.y += db;
    else dq.z += db;
  }
  d->half = sub(d->half, dq);
  return add(ds, vec(copysignf(dq.x, dq.x * e.x), copysignf(dq.y, dq.y * e.y), copysignf(dq.z, dq.z * e.z)));
}

static void sdf(const float *in, float *out, int i) {
  in += 8 * i, out += 8 * i;
  const shape s = {at(in), in[3], at(in + 4), in[7]};
  shape d = {{0, 0, 0}, 0, {0, 0, 0}, 0};
  v3 o = vec(0, 0.3f, -3);
  v3 dir = normalize(vec(((float)(i % 128) + 0.5f) / 64 - 1, ((float)(i / 128 % 128) + 0.5f) / 64 - 1, 1.6f));
  float ts[48], t = 0;
  int n = 0;
  for (int step = 0; step < 48; step++) {
    float r = distance_to(&s, add(o, scale(dir, t)));
    if (r < 1e-3f) break;
    ts[n++] = t;
    t += 0.9f * r;
    if (t > 12) break;
  }
  if (t <= 12) {
    v3 p = add(o, scale(dir, t));
    const v3 axes[3] = {{1e-2f, 0, 0}, {0, 1e-2f, 0}, {0, 0, 1e-2f}};
    float g3[3];
    for (int k = 0; k < 3; k++) g3[k] = distance_to(&s, add(p, axes[k])) - distance_to(&s, sub(p, axes[k]));
    v3 g = at(g3);
    float len = sqrtf(dot(g, g) + 1e-12f);
    v3 normal = scale(g, 1 / len), light = vec(0.48f, 0.64f, -0.6f);
    float nl = dot(normal, light);
    if (nl > 0) {
      v3 dn = scale(light, 0.9f * 2 * (0.1f + 0.9f * nl - 0.5f)), dp = all(0);
      v3 dg = scale(sub(dn, scale(normal, dot(normal, dn))), 1 / len);
      float dg3[3];
      put(dg3, dg);
      for (int k = 0; k < 3; k++) {
        dp = add(dp, adjoint(&s, &d, add(p, axes[k]), dg3[k]));
        dp = add(dp, adjoint(&s, &d, sub(p, axes[k]), -dg3[k]));
      }
      float dt = dot(dp, dir);
      while (n-- > 0) dt += dot(adjoint(&s, &d, add(o, scale(dir, ts[n])), 0.9f * dt), dir);
    }
  }
  put(out, d.center);
  out[3] = d.radius;
  put(out + 4, d.half);
  out[7] = d.k;
}

/* ── 08_nbody ── */

enum { bodies = 4, steps = 16 };

static void nbody(const float *in, float *out, int k) {
  in += 24 * k, out += 24 * k;
  const float step = 0.01f;
  v3 past[steps][bodies], pos[bodies], vel[bodies], dp[bodies], dv[bodies];
  for (int i = 0; i < bodies; i++) pos[i] = at(in + 3 * i), vel[i] = at(in + 12 + 3 * i), dp[i] = dv[i] = all(0);
  for (int s = 0; s < steps; s++) {
    memcpy(past[s], pos, sizeof pos);
    for (int i = 0; i < bodies; i++) {
      v3 sum = all(0);
      for (int j = 0; j < bodies; j++) {
        if (j == i) continue;
        v3 d = sub(pos[j], pos[i]);
        float inv = 1 / sqrtf(dot(d, d) + 0.05f);
        sum = add(sum, scale(d, inv * inv * inv));
      }
      vel[i] = add(vel[i], scale(sum, step));
    }
    for (int i = 0; i < bodies; i++) pos[i] = add(pos[i], scale(vel[i], step));
  }
  dp[0] = scale(sub(pos[0], vec(1, 0.5f, -0.25f)), 2);
  for (int i = 1; i < bodies; i++) dv[i] = scale(vel[i], 0.2f);
  for (int s = steps - 1; s >= 0; s--) {
    for (int i = 0; i < bodies; i++) dv[i] = add(dv[i], scale(dp[i], step));
    for (int i = 0; i < bodies; i++) {
      v3 w = scale(dv[i], step), mine = all(0);
      for (int j = 0; j < bodies; j++) {
        if (j == i) continue;
        v3 d = sub(past[s][j], past[s][i]);
        float inv = 1 / sqrtf(dot(d, d) + 0.05f), i3 = inv * inv * inv;
        v3 dd = sub(scale(w, i3), scale(d, 3 * i3 * inv * inv * dot(d, w)));
        dp[j] = add(dp[j], dd);
        mine = add(mine, dd);
      }
      dp[i] = sub(dp[i], mine);
    }
  }
  for (int i = 0; i < bodies; i++) put(out + 3 * i, dp[i]), put(out + 12 + 3 * i, dv[i]);
}

/* ── One program, timed ── */

/* Each loop has its kernel in it, as it would have where somebody wrote it for that program. */
#define EACH(kernel)                                                                   \
  static void kernel##_all(const float *in, float *out, int threads) {                \
    for (int i = 0; i < threads; i++) kernel(in, out, i);                              \
  }
EACH(loop) EACH(mlp) EACH(gauss2d) EACH(brdf) EACH(sdf) EACH(nbody)

static const struct {
  const char *name;
  void (*run)(const float *, float *, int);
  int outputs;
} programs[] = {{"02_loop", loop_all, 4},    {"04_mlp", mlp_all, weights}, {"05_gauss2d", gauss2d_all, 9 * splats},
                {"06_brdf", brdf_all, 8},    {"07_sdf", sdf_all, 8},       {"08_nbody", nbody_all, 24}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const char *why) {
  fprintf(stderr, "kernels: %s\n", why);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 6) return fail("expected NAME THREADS ROUNDS INPUT OUTPUT");
  for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
    if (strcmp(programs[p].name, argv[1]) != 0) continue;
    int threads = atoi(argv[2]), rounds = atoi(argv[3]);
    FILE *file = fopen(argv[4], "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return fail("no input");
    size_t bytes = (size_t)ftell(file), outputs = (size_t)threads * (size_t)programs[p].outputs;
    rewind(file);
    float *in = malloc(bytes), *out = malloc(outputs * sizeof *out);
    if (in == NULL || out == NULL || fread(in, 1, bytes, file) != bytes) return fail("no input");
    fclose(file);
    for (int r = 0; r < rounds; r++) {
      double begin = now();
      programs[p].run(in, out, threads);
      printf("%.9f\n", now() - begin);
    }
    file = fopen(argv[5], "wb");
    if (file == NULL || fwrite(out, sizeof *out, outputs, file) != outputs || fclose(file) != 0) return fail("no output");
    return 0;
  }
  return fail("no such program");
}
