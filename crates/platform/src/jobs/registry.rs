//! The kinds that a process runs.

use std::sync::Arc;

use chrono::TimeDelta;

use super::kind::{JobKind, PeriodicJob, StoredKind};

/// The kinds that a process runs. Jobs of other kinds, such as those of a newer version, are left alone.
#[derive(Clone, Default)]
pub struct Kinds(Vec<RegisteredKind>);

#[derive(Clone)]
pub(super) struct RegisteredKind {
    pub(super) kind: Arc<dyn StoredKind>,
    /// `None` for kinds that are not periodic.
    pub(super) interval: Option<TimeDelta>,
}

impl Kinds {
    #[must_use]
    pub fn with(mut self, kind: impl JobKind) -> Self {
        let kind = Arc::new(kind);
        self.0.push(RegisteredKind { kind, interval: None });
        self
    }

    #[must_use]
    pub fn with_periodic<K: PeriodicJob>(mut self, kind: K) -> Self {
        self.0.push(RegisteredKind {
            kind: Arc::new(kind),
            interval: Some(K::INTERVAL),
        });
        self
    }

    pub(super) fn find(&self, name: &str) -> Option<&RegisteredKind> {
        self.0.iter().find(|registered| registered.kind.name() == name)
    }

    pub(super) fn into_registered(self) -> Vec<RegisteredKind> {
        self.0
    }
}
