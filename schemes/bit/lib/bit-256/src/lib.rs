//! BiT-256 as a shared library with the ICCS C API; `ngcc.h` of `ngcc-api` declares it.

ngcc_api::export_signature!(ngcc_bit::INSTANCES[1], "BiT");
