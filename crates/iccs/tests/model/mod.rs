//! The helper functions once more, as plainly as SPEC.md states them: bits in a vector, no caching, no lanes.

use iccs::KEY;

/// A message as bits, most significant first.
pub type Bits = Vec<bool>;

pub fn bits(bytes: &[u8]) -> Bits {
    bytes.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1 == 1)).collect()
}

pub fn bytes(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8)
        .map(|c| c.iter().enumerate().fold(0, |byte, (i, bit)| byte | u8::from(*bit) << (7 - i)))
        .collect()
}

fn join(parts: &[&[bool]]) -> Bits {
    parts.concat()
}

fn p0(x: u32) -> u32 {
    x ^ x.rotate_left(9) ^ x.rotate_left(17)
}

fn p1(x: u32) -> u32 {
    x ^ x.rotate_left(15) ^ x.rotate_left(23)
}

fn compress(v: &mut [u32; 8], block: &[u8]) {
    let mut w: Vec<u32> = block.chunks(4).map(|c| u32::from_be_bytes(c.try_into().unwrap())).collect();
    for j in 16..68 {
        let x = p1(w[j - 16] ^ w[j - 9] ^ w[j - 3].rotate_left(15)) ^ w[j - 13].rotate_left(7) ^ w[j - 6];
        w.push(x);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *v;
    for j in 0..64 {
        let t: u32 = if j < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
        let ss1 = a.rotate_left(12).wrapping_add(e).wrapping_add(t.rotate_left(j as u32 % 32)).rotate_left(7);
        let ff = if j < 16 { a ^ b ^ c } else { a & b | a & c | b & c };
        let gg = if j < 16 { e ^ f ^ g } else { e & f | !e & g };
        let tt1 = ff.wrapping_add(d).wrapping_add(ss1 ^ a.rotate_left(12)).wrapping_add(w[j] ^ w[j + 4]);
        let tt2 = gg.wrapping_add(h).wrapping_add(ss1).wrapping_add(w[j]);
        (d, c, b, a) = (c, b.rotate_left(9), a, tt1);
        (h, g, f, e) = (g, f.rotate_left(19), e, p0(tt2));
    }
    for (v, x) in v.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *v ^= x;
    }
}

pub fn sm3(message: &[bool]) -> Bits {
    let mut padded = message.to_vec();
    padded.push(true);
    while padded.len() % 512 != 448 {
        padded.push(false);
    }
    padded.extend(bits(&(message.len() as u64).to_be_bytes()));
    let mut v = [
        0x7380_166f,
        0x4914_b2b9,
        0x1724_42d7,
        0xda8a_0600,
        0xa96f_30bc,
        0x1631_38aa,
        0xe38d_ee4d,
        0xb0fb_0e4e,
    ];
    for block in bytes(&padded).chunks(64) {
        compress(&mut v, block);
    }
    v.iter().flat_map(|x| bits(&x.to_be_bytes())).collect()
}

fn hmac(message: &[bool]) -> Bits {
    let pad = |pad: u8| bits(&KEY.map(|k| k ^ pad));
    sm3(&join(&[&pad(0x5c), &sm3(&join(&[&pad(0x36), message]))]))
}

pub fn pseudohash(n: u32, m: &[bool]) -> Vec<u8> {
    let tag = bits(&[(n / 256) as u8, 0]);
    let k1 = hmac(&join(&[&tag, m]));
    let h1 = sm3(&join(&[m, &tag]));
    let h2 = sm3(&join(&[&k1, &h1]));
    match n {
        512 => bytes(&join(&[&h1, &h2])),
        768 => bytes(&join(&[&h1, &h2, &sm3(&join(&[&h2, &hmac(&h1)]))])),
        _ => {
            let k3 = hmac(&h2);
            let h3 = sm3(&join(&[&h2, &hmac(&h1)]));
            let h4 = sm3(&join(&[&k3, &h3, &hmac(&h3)]));
            bytes(&join(&[&h1, &h2, &h3, &h4]))
        }
    }
}

/// `n` bits of the stream of `m`, from block `first` on.
pub fn xof(m: &[bool], first: u32, n: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut counter = first;
    while out.len() < n {
        counter = counter.wrapping_add(1);
        out.extend(sm3(&join(&[m, &bits(&counter.to_be_bytes())])));
    }
    bytes(&out[..n])
}

/// The DRNG, its state big-endian bytes.
pub struct Drng {
    pub v: Vec<u8>,
    pub c: Vec<u8>,
    pub counter: Vec<u8>,
}

fn add(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut sum = a.to_vec();
    let mut carry = 0;
    for i in 0..sum.len() {
        let other = if i < b.len() { b[b.len() - 1 - i] } else { 0 };
        let at = sum.len() - 1 - i;
        let x = u16::from(sum[at]) + u16::from(other) + carry;
        sum[at] = x as u8;
        carry = x >> 8;
    }
    sum
}

fn df(s: &[u8]) -> Vec<u8> {
    let part = |n: u8| bytes(&sm3(&bits(&[&[n, 0, 0, 1, 0xb8], s].concat())));
    [part(1), part(2)].concat()[..55].to_vec()
}

impl Drng {
    pub fn new(seed: &[u8]) -> Self {
        let v = df(seed);
        let c = df(&[&[0], &v[..]].concat());
        let mut counter = vec![0; 55];
        counter[54] = 1;
        Self { v, c, counter }
    }

    pub fn get(&mut self, n: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let mut data = self.v.clone();
        while out.len() < n {
            out.extend(sm3(&bits(&data)));
            data = add(&data, &[1]);
        }
        let update = bytes(&sm3(&bits(&[&[3], &self.v[..]].concat())));
        self.v = add(&add(&add(&self.v, &update), &self.c), &self.counter);
        self.counter = add(&self.counter, &[1]);
        bytes(&out[..n])
    }
}
