//! The declaration of settings: one list from which flags, names, defaults and reading are made.

/// A setting by its name: `body_limit` is `--body-limit`, `BINDERY_BODY_LIMIT`, and `body_limit` in the file.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub key: &'static str,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    /// Never shown, and may stand in a file of its own: `BINDERY_…_FILE`.
    Secret,
}

/// Declares the settings in the form
///
/// ```text
/// name: Type = Kind parser, "the default as it would be typed", "VALUE" "the help of its flag";
/// name: Type = Kind parser, "the default in words" => expression, "VALUE" "the help of its flag";
/// ```
///
/// An expression may use the settings above it. Those `without_flags` have none: other users of the machine can
/// read the arguments of a process.
macro_rules! settings {
    (
        with_flags {
            $($name:ident: $type:ty = $kind:ident $parse:expr, $default:literal $(=> $value:expr)?, $placeholder:literal $help:literal;)+
        }
        without_flags {
            $($hidden:ident: $hidden_type:ty = $hidden_kind:ident $hidden_parse:expr, $hidden_default:expr;)+
        }
    ) => {
        // The settings as flags: text as it was typed, read together with the environment and the file. No doc comment, which
        // would replace the description of a command in its help.
        #[derive(Debug, Clone, Default, clap::Args)]
        #[command(next_help_heading = "Settings (also as BINDERY_… in the environment, and in bindery.toml)")]
        pub struct Flags {
            /// File to read settings from [default: bindery.toml, if there is one]
            #[arg(long, global = true, value_name = "FILE", env = "BINDERY_CONFIG")]
            pub config: Option<std::path::PathBuf>,
            $(
                #[arg(long, global = true, value_name = $placeholder, help = concat!($help, " [default: ", $default, "]"))]
                pub $name: Option<String>,
            )+
        }

        impl Flags {
            fn get(&self, key: &str) -> Option<&str> {
                match key {
                    $(stringify!($name) => self.$name.as_deref(),)+
                    _ => None,
                }
            }
        }

        const DECLARED: &[Setting] = &[
            $(Setting { key: stringify!($name), kind: Kind::$kind },)+
            $(Setting { key: stringify!($hidden), kind: Kind::$hidden_kind },)+
        ];

        /// Everything that an operator decides. The `Debug` form shows no secret.
        #[derive(Debug, Clone)]
        pub struct Settings {
            $(#[doc = $help] pub $name: $type,)+
            $(pub $hidden: $hidden_type,)+
        }

        impl Settings {
            /// Reads every setting. Problems are left in `sources`.
            fn collect(sources: &mut Sources) -> anyhow::Result<Self> {
                $(
                    let setting = Setting { key: stringify!($name), kind: Kind::$kind };
                    let $name: $type = match sources.get(setting, $parse) {
                        Some(value) => value,
                        None => $crate::config::declare::default!($parse, $default $(, $value)?),
                    };
                )+
                $(
                    let setting = Setting { key: stringify!($hidden), kind: Kind::$hidden_kind };
                    let $hidden = sources.get(setting, $hidden_parse).unwrap_or($hidden_default);
                )+
                Ok(Self { $($name,)+ $($hidden,)+ })
            }
        }
    };
}

macro_rules! default {
    ($parse:expr, $text:literal) => {
        ($parse)($text).map_err(anyhow::Error::msg)?
    };
    ($parse:expr, $words:literal, $value:expr) => {
        $value
    };
}

pub(super) use {default, settings};
