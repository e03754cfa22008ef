//! The TLS of this process.

/// Names the implementation that all clients of this process use, unless one was named before. Clients that find none
/// named do not start.
pub fn init() {
    // The only failure is that one was named before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
