//! Bytes that clients make the server keep: how many all together have, and those of each address.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::connection::Connection;

/// Counted bytes, and their limits.
pub struct HeldBytes {
    all: usize,
    per_address: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    all: usize,
    of_network: HashMap<u128, usize>,
}

impl HeldBytes {
    pub fn new(all: usize, per_address: usize) -> Self {
        Self {
            all,
            per_address,
            held: Mutex::default(),
        }
    }

    /// Counts bytes; `false` if there is no room for them. Requests that are refused may take half as much again.
    pub fn hold(&self, connection: &Connection, bytes: usize, are_refused: bool) -> bool {
        let limit_of_network = match connection.has_shared_address {
            true => self.all,
            false => self.per_address,
        };
        let with_reserve = |limit: usize| if are_refused { limit + limit / 2 } else { limit };
        let mut held = self.held();
        let of_network = held.of_network.get(&connection.network).copied().unwrap_or_default() + bytes;
        let all = held.all + bytes;
        let fits = all <= with_reserve(self.all) && of_network <= with_reserve(limit_of_network);
        if fits {
            held.all = all;
            held.of_network.insert(connection.network, of_network);
        }
        fits
    }

    pub fn release(&self, connection: &Connection, bytes: usize) {
        let mut held = self.held();
        held.all -= bytes;
        if let Some(of_network) = held.of_network.get_mut(&connection.network) {
            *of_network -= bytes;
            if *of_network == 0 {
                held.of_network.remove(&connection.network);
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
