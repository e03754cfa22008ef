//! Frames between the parent and a child: the length of the frame, the length of its head, the head as JSON, and bytes.

use std::{io, time::Duration};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Limits, Log, Reason, ScriptRuntime};

/// Bytes of a length.
pub const LENGTH_BYTES: usize = 4;

/// The most bytes of a frame.
pub const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;

/// Scripts that a child keeps, the oldest of which goes first. The parent counts in the same way.
pub const KEPT_SCRIPTS: usize = 8;

/// A frame from the parent.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToChild {
    /// The first frame.
    Limits(Limits),
    /// The bytes are the script.
    Script { version: u64, runtime: ScriptRuntime },
    /// The bytes are the texts of the event and of the environment, and the body of the request.
    Event {
        id: u64,
        installation: String,
        version: u64,
        wall_time: Duration,
        event_bytes: usize,
        environment_bytes: usize,
        has_body: bool,
        parse_only: bool,
    },
    /// The response to a request, with its body.
    Reply {
        id: u64,
        request: u32,
        response: Result<ResponseHead, String>,
    },
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ResponseHead {
    pub status: u16,
    pub headers: Vec<(String, String)>,
}

/// A frame from a child.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToParent {
    /// The sandbox is closed. The first frame.
    Ready,
    /// What follows is the work of this event.
    Working { id: u64 },
    /// A request, with its body.
    Fetch {
        id: u64,
        request: u32,
        method: String,
        url: String,
        headers: Vec<(String, String)>,
    },
    /// The answer, with its body.
    Answer {
        id: u64,
        status: u16,
        headers: Vec<(String, String)>,
    },
    /// The end of an event.
    Done {
        id: u64,
        logs: Vec<Log>,
        failure: Option<Reason>,
    },
}

/// A frame with this head.
pub fn encode(head: &impl Serialize, parts: &[&[u8]]) -> io::Result<Vec<u8>> {
    let head = serde_json::to_vec(head)?;
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    let length = LENGTH_BYTES + head.len() + bytes;
    if length > MAX_FRAME_BYTES {
        return Err(too_large());
    }
    let mut frame = Vec::with_capacity(LENGTH_BYTES + length);
    for length in [length, head.len()] {
        frame.extend(u32::try_from(length).map_err(|_| too_large())?.to_be_bytes());
    }
    frame.extend(head);
    for part in parts {
        frame.extend_from_slice(part);
    }
    Ok(frame)
}

/// The length that stands before a frame.
pub fn length(bytes: [u8; LENGTH_BYTES]) -> io::Result<usize> {
    match usize::try_from(u32::from_be_bytes(bytes)) {
        Ok(length) if length <= MAX_FRAME_BYTES => Ok(length),
        _ => Err(too_large()),
    }
}

/// Splits what follows the length of a frame.
pub fn decode<Head: DeserializeOwned>(frame: &[u8]) -> io::Result<(Head, &[u8])> {
    let incomplete = || io::Error::new(io::ErrorKind::InvalidData, "the frame is incomplete");
    let (head_bytes, rest) = frame.split_first_chunk().ok_or_else(incomplete)?;
    let (head, bytes) = rest.split_at_checked(length(*head_bytes)?).ok_or_else(incomplete)?;
    Ok((serde_json::from_slice(head)?, bytes))
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the frame is too large")
}
