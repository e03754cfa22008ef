//! The TLS implementation of the process.

/// Installs the default TLS implementation, unless one is installed. Clients do not start without one.
pub fn init() {
    // Fails only if one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
