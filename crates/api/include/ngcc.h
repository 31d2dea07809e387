/*
 * The ICCS C API of the NGCC libraries: one shared library per parameter set, libngcc_<algorithm>_<set>.so.
 *
 * A library of a signature defines the sig_ functions, a library of a KEM the kem_ functions; all define the rest.
 *
 * Rules for every function
 *   - Lengths of keys, messages, signatures, ciphertexts, secrets and seeds are in bytes. Lengths of the helper
 *     functions and of random numbers are in bits; bits are taken and given from the most significant end of each byte.
 *   - A `*_len` pointer holds the capacity of its buffer on entry and the written length on return. A larger capacity
 *     than needed is right; nothing is written behind the written length. After a failure it is unchanged.
 *   - 0 is success; anything else is one of the NGCC_ERR_ codes and leaves no secret in an output buffer. Bad arguments
 *     (NULL, short, wrong length, overlap) are found before anything is written.
 *   - A buffer of length 0 may be NULL.
 *   - Output buffers must not overlap each other or an input, with the one exception of sm3hash and pseudohash, whose
 *     digest may overlap the message.
 *   - Nothing is thread safe: key generation, signing and encapsulation change `drng_algorithm`. Call from one thread at
 *     a time. Verification and decapsulation do not touch it and may run side by side.
 *
 * Randomness is what the caller puts into `drng_algorithm`: seed it from the operating system (at least 32 bytes) before
 * the first call. A context that was never initialised is refused with NGCC_ERR_RANDOM.
 */
#ifndef NGCC_H
#define NGCC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NGCC_ERR_REJECTED (-1)      /* the signature is not one of this message under this key */
#define NGCC_ERR_HASH (-3)          /* the helper function cannot serve the request */
#define NGCC_ERR_DIGEST_LENGTH (-4) /* no digest of this length */
#define NGCC_ERR_NULL (-5)          /* a pointer is NULL */
#define NGCC_ERR_LENGTH (-6)        /* a length is wrong, or a capacity too short */
#define NGCC_ERR_OVERLAP (-7)       /* an output buffer overlaps another buffer */
#define NGCC_ERR_ENCODING (-8)      /* a key or ciphertext is malformed */
#define NGCC_ERR_RANDOM (-9)        /* the DRNG was not initialised, or failed */
#define NGCC_ERR_FAILED (-10)       /* signing reached its iteration cap */
#define NGCC_ERR_KIND (-11)         /* the library holds an instance of the other kind */

/* ---- the random generator ---------------------------------------------------------------------------------------- */

/* Hash_DRBG over SM3; V, C and the counter of the next output are big-endian. */
typedef struct {
    unsigned char V[55];
    unsigned char C[55];
    unsigned char reseed_counter[55];
} DRNG_ctx;

/* The generator that the operations draw from. */
extern DRNG_ctx drng_algorithm;

int init_random_number(DRNG_ctx *ctx, const unsigned char *seed, unsigned long long seed_len);
int get_random_number(DRNG_ctx *ctx, unsigned char *out, unsigned long long out_bits);

/* ---- the helper functions ---------------------------------------------------------------------------------------- */

/* digest_bits: 256 */
int sm3hash(int digest_bits, const unsigned char *m, unsigned long long m_bits, unsigned char *digest);
/* digest_bits: 512, 768 or 1024 */
int pseudohash(int digest_bits, const unsigned char *m, unsigned long long m_bits, unsigned char *digest);
/* out_bits: less than 2^40 - 2^8 */
int pseudoXOF(unsigned long long out_bits, const unsigned char *m, unsigned long long m_bits, unsigned char *out);

/* ---- signatures -------------------------------------------------------------------------------------------------- */

unsigned long long sig_get_pk_len_bytes(void);
unsigned long long sig_get_sk_len_bytes(void);
/* The longest signature. */
unsigned long long sig_get_sn_len_bytes(void);

int sig_keygen(unsigned char *pk, unsigned long long *pk_len, unsigned char *sk, unsigned long long *sk_len);
/* The capacity of sn must be that of the longest signature. */
int sig_sign(const unsigned char *sk, unsigned long long sk_len, const unsigned char *m, unsigned long long m_len,
             unsigned char *sn, unsigned long long *sn_len);
/* 0 if and only if sn is a signature of m under pk. */
int sig_verify(const unsigned char *pk, unsigned long long pk_len, const unsigned char *sn, unsigned long long sn_len,
               const unsigned char *m, unsigned long long m_len);

/* ---- key encapsulation ------------------------------------------------------------------------------------------- */

unsigned long long kem_get_pk_len_bytes(void);
unsigned long long kem_get_sk_len_bytes(void);
unsigned long long kem_get_ct_len_bytes(void);
unsigned long long kem_get_ss_len_bytes(void);

int kem_keygen(unsigned char *pk, unsigned long long *pk_len, unsigned char *sk, unsigned long long *sk_len);
int kem_enc(const unsigned char *pk, unsigned long long pk_len, unsigned char *ss, unsigned long long *ss_len,
            unsigned char *ct, unsigned long long *ct_len);
/* A ciphertext of the right length always gives a secret; it equals the sender's if the ciphertext is honest. */
int kem_dec(const unsigned char *sk, unsigned long long sk_len, const unsigned char *ct, unsigned long long ct_len,
            unsigned char *ss, unsigned long long *ss_len);

/* ---- what measuring programs ask for ----------------------------------------------------------------------------- */

/* Strings end in NUL and are cut to fit; numbers are in native byte order. */
typedef struct {
    uint32_t magic;       /* 0x4347474e */
    uint32_t abi;         /* 1 */
    uint32_t type;        /* 1 KEM, 2 signature */
    uint32_t struct_size; /* 672 for a KEM, 664 for a signature: without the unused last length */
    char id[16];
    char algorithm[64];
    char instance[64];
    char variant[32];
    char source_dir[256];
    char compiler[64];
    char build_flags[128];
    uint64_t lengths[4]; /* KEM: pk, sk, ct, ss; signature: pk, sk, longest sn */
} ngcc_meta_t;

const ngcc_meta_t *ngcc_meta(void);

/* init_random_number and get_random_number on drng_algorithm. */
int ngcc_seed(const unsigned char *seed, unsigned long long seed_len);
int ngcc_random(unsigned char *out, unsigned long long out_bits);

#ifdef __cplusplus
}
#endif

#endif
