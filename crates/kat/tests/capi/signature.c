/*
 * Uses a signature library as a C program does: keygen, sign and verify on the seed 00..3f and the message of 64 bytes
 * (131 i + 64) mod 256, then bad arguments. Prints `name hex` lines; ends with status 1 and a line on standard error at
 * the first call that does not return what it should.
 */
#include "ngcc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call, expected)                                                                                          \
    do {                                                                                                               \
        int got = (call);                                                                                              \
        if (got != (expected)) {                                                                                       \
            fprintf(stderr, "line %d: %s returned %d, expected %d\n", __LINE__, #call, got, (int)(expected));          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void print(const char *name, const unsigned char *bytes, unsigned long long n) {
    printf("%s ", name);
    for (unsigned long long i = 0; i < n; i++) printf("%02x", bytes[i]);
    printf("\n");
}

static unsigned char *buffer(unsigned long long n) {
    unsigned char *p = malloc(n);
    if (p == NULL) exit(2);
    return p;
}

int main(void) {
    const ngcc_meta_t *meta = ngcc_meta();
    const unsigned long long pk_max = sig_get_pk_len_bytes(), sk_max = sig_get_sk_len_bytes(),
                             sn_max = sig_get_sn_len_bytes();
    unsigned long long pk_len = pk_max, sk_len = sk_max, sn_len = sn_max, one_short;
    unsigned char *pk = buffer(pk_max), *sk = buffer(sk_max), *sn = buffer(sn_max);
    unsigned char seed[64], m[64], next[16], digest[64];
    for (int i = 0; i < 64; i++) seed[i] = (unsigned char)i;
    for (int i = 0; i < 64; i++) m[i] = (unsigned char)(131 * i + 64);

    printf("meta %s %s %s\n", meta->id, meta->algorithm, meta->instance);
    CHECK(meta->magic == 0x4347474e && meta->abi == 1 && meta->type == 2 && meta->struct_size == 664, 1);
    CHECK(meta->lengths[0] == pk_max && meta->lengths[1] == sk_max && meta->lengths[2] == sn_max, 1);

    CHECK(sig_keygen(pk, &pk_len, sk, &sk_len), NGCC_ERR_RANDOM);
    CHECK(init_random_number(&drng_algorithm, seed, 64), 0);
    CHECK(sig_keygen(pk, &pk_len, sk, &sk_len), 0);
    CHECK(sig_sign(sk, sk_len, m, 64, sn, &sn_len), 0);
    CHECK(sig_verify(pk, pk_len, sn, sn_len, m, 64), 0);
    CHECK(get_random_number(&drng_algorithm, next, 128), 0);
    print("pk", pk, pk_len);
    print("sk", sk, sk_len);
    print("sn", sn, sn_len);
    print("next", next, 16);
    CHECK(sm3hash(256, m, 512, digest), 0);
    print("sm3", digest, 32);
    CHECK(pseudohash(512, m, 512, digest), 0);
    print("pseudohash", digest, 64);
    CHECK(pseudoXOF(500, m, 512, digest), 0);
    print("xof", digest, 63);

    CHECK(ngcc_seed(seed, 64), 0);
    one_short = pk_max - 1;
    CHECK(sig_keygen(pk, &one_short, sk, &sk_len), NGCC_ERR_LENGTH);
    CHECK(sig_keygen(NULL, &pk_len, sk, &sk_len), NGCC_ERR_NULL);
    CHECK(sig_keygen(pk, &pk_len, sk, NULL), NGCC_ERR_NULL);
    one_short = sn_max - 1;
    CHECK(sig_sign(sk, sk_len, m, 64, sn, &one_short), NGCC_ERR_LENGTH);
    CHECK(sig_sign(sk, sk_len - 1, m, 64, sn, &sn_len), NGCC_ERR_LENGTH);
    CHECK(sig_sign(sk, sk_len, m, 64, sk, &sn_len), NGCC_ERR_OVERLAP);
    CHECK(sig_verify(pk, pk_len - 1, sn, sn_len, m, 64), NGCC_ERR_LENGTH);
    CHECK(sig_verify(pk, pk_len, sn, 0, m, 64) == 0, 0);
    CHECK(sig_verify(NULL, pk_len, sn, sn_len, m, 64), NGCC_ERR_NULL);
    m[0] ^= 0x80;
    CHECK(sig_verify(pk, pk_len, sn, sn_len, m, 64) == 0, 0);
    m[0] ^= 0x80;
    sn[sn_len / 2] ^= 1;
    CHECK(sig_verify(pk, pk_len, sn, sn_len, m, 64) == 0, 0);
    sn[sn_len / 2] ^= 1;
    CHECK(sig_verify(pk, pk_len, sn, sn_len, m, 64), 0);
    free(pk);
    free(sk);
    free(sn);
    return 0;
}
