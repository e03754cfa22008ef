//! Files of the server are for its user alone.

use std::{fs, os::unix::fs::PermissionsExt};

use platform::config::Settings;
use rustix::{fs::Mode, process::umask};

/// What others may do with a file.
const OTHERS: u32 = 0o077;

/// From now on, whatever this process creates can be used by its user only.
pub fn start() {
    umask(Mode::from_raw_mode(OTHERS));
}

/// From now on, what this process creates can be read by others, too.
pub fn end() {
    umask(Mode::from_raw_mode(0o022));
}

/// Does the same for files of earlier versions. Folders that were there before are left as the operator made them.
pub fn tighten(settings: &Settings) {
    for file in settings.private_files() {
        let Ok(metadata) = fs::metadata(&file) else {
            continue;
        };
        let mut permissions = metadata.permissions();
        if permissions.mode() & OTHERS == 0 {
            continue;
        }
        permissions.set_mode(permissions.mode() & !OTHERS);
        match fs::set_permissions(&file, permissions) {
            Ok(()) => {
                tracing::info!(file = %file.display(), "others could read this file; its permissions are 0600 now")
            }
            Err(error) => {
                tracing::warn!(file = %file.display(), %error, "others can read this file; run chmod 600 on it")
            }
        }
    }
}
