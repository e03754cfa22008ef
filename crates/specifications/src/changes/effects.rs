//! What a difference means for clients.

/// What a change does to clients of the version before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Impact {
    #[default]
    Compatible,
    /// Nobody has judged it, so that clients may fail.
    Unknown,
    Breaking,
}

/// What a difference does to the values that are valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that clients depend on.
    None,
    /// Fewer are: those who send them may fail.
    Narrows,
    /// More are: those who receive them may fail.
    Widens,
    Differs,
    Unknown,
}

/// Where a part of a document takes effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// In what clients send.
    pub requests: bool,
    /// In what clients receive.
    pub responses: bool,
    /// In a way that is not understood.
    pub hidden: bool,
}

/// The impact of a part, by where it is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Impacts {
    pub requests: Impact,
    pub responses: Impact,
    pub is_changed: bool,
}

impl Uses {
    pub const REQUESTS: Self = Self::of(true, false);
    pub const RESPONSES: Self = Self::of(false, true);
    pub const ALL: Self = Self::of(true, true);

    const fn of(requests: bool, responses: bool) -> Self {
        Self {
            requests,
            responses,
            hidden: false,
        }
    }

    pub fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    pub fn without_requests(self) -> Self {
        Self {
            requests: false,
            ..self
        }
    }

    pub fn without_responses(self) -> Self {
        Self {
            responses: false,
            ..self
        }
    }

    pub fn and(self, other: Self) -> Self {
        Self {
            requests: self.requests || other.requests,
            responses: self.responses || other.responses,
            hidden: self.hidden || other.hidden,
        }
    }

    /// The uses of what a part with these uses refers to in such a way.
    pub fn through(self, way: Self) -> Self {
        if way.hidden {
            let hidden = self.hidden || (self.requests && way.requests) || (self.responses && way.responses);
            return Self {
                hidden,
                ..Self::default()
            };
        }
        Self {
            requests: self.requests && way.requests,
            responses: self.responses && way.responses,
            hidden: self.hidden,
        }
    }
}

impl Impacts {
    pub fn of(effect: Effect, uses: Uses) -> Self {
        let (requests, responses) = match effect {
            Effect::None => (Impact::Compatible, Impact::Compatible),
            Effect::Narrows => (Impact::Breaking, Impact::Compatible),
            Effect::Widens => (Impact::Compatible, Impact::Breaking),
            Effect::Differs => (Impact::Breaking, Impact::Breaking),
            Effect::Unknown => (Impact::Unknown, Impact::Unknown),
        };
        let only = |is_used: bool, impact| if is_used { impact } else { Impact::Compatible };
        Self {
            requests: only(uses.requests, requests),
            responses: only(uses.responses, responses),
            is_changed: true,
        }
    }

    pub fn and(self, other: Self) -> Self {
        Self {
            requests: self.requests.max(other.requests),
            responses: self.responses.max(other.responses),
            is_changed: self.is_changed || other.is_changed,
        }
    }

    /// Those of what refers in such a way to a part with these impacts.
    pub fn through(self, way: Uses) -> Self {
        let most = self.requests.max(self.responses);
        let (requests, responses) = match way.hidden {
            true => (most.min(Impact::Unknown), most.min(Impact::Unknown)),
            false => (self.requests, self.responses),
        };
        let only = |is_used: bool, impact| if is_used { impact } else { Impact::Compatible };
        Self {
            requests: only(way.requests, requests),
            responses: only(way.responses, responses),
            is_changed: self.is_changed,
        }
    }

    pub fn for_uses(self, uses: Uses) -> Impact {
        let hidden = match uses.hidden {
            true => self.requests.max(self.responses).min(Impact::Unknown),
            false => Impact::Compatible,
        };
        let used = self.through(Uses { hidden: false, ..uses });
        used.requests.max(used.responses).max(hidden)
    }
}
