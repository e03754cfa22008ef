use std::{collections::HashMap, fs};

use config::Environment;
use tempfile::TempDir;

use super::*;

fn flags(directory: &TempDir) -> Flags {
    Flags {
        data_dir: Some(directory.path().display().to_string()),
        ..Flags::default()
    }
}

fn environment(variables: &[(&str, &str)]) -> Environment {
    let variables: HashMap<_, _> = variables
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    Environment::with_prefix("BINDERY").source(Some(variables.into_iter().collect()))
}

fn read(flags: &Flags, variables: &[(&str, &str)], file: &str) -> anyhow::Result<Settings> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("bindery.toml");
    fs::write(&path, file)?;
    let mut sources = Sources::of_flags(flags);
    sources.read_environment(environment(variables))?;
    sources.read_file(&path, true)?;
    Settings::read(sources, MissingKey::Pretend)
}

fn problem(variables: &[(&str, &str)], file: &str) -> String {
    match read(&Flags::default(), variables, file) {
        Ok(_) => panic!("accepted"),
        Err(e) => format!("{e:#}"),
    }
}

#[test]
fn nothing_needs_to_be_set() {
    let settings = read(&Flags::default(), &[], "").unwrap();
    assert_eq!(settings.listen.to_string(), "127.0.0.1:4000");
    assert_eq!(settings.public_url.as_str(), "http://127.0.0.1:4000/");
    assert_eq!(settings.database_for_display(), "sqlite://data/bindery.db");
    assert_eq!(settings.rate_limit, parse::rate_limit("1000/s").unwrap());
    assert_eq!(settings.admin_email, "admin@localhost");
    assert_eq!(settings.page("docs/"), "http://127.0.0.1:4000/docs/");
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let file = "listen = '127.0.0.1:1'\npublic_url = 'https://file.example'\nmax_connections = 7\n";
    let variables = [("BINDERY_LISTEN", "127.0.0.1:2"), ("BINDERY_RATE_LIMIT", "off")];
    let flags = Flags {
        listen: Some("127.0.0.1:3".into()),
        ..Flags::default()
    };
    let settings = read(&flags, &variables, file).unwrap();
    assert_eq!(settings.listen.port(), 3);
    assert_eq!(settings.rate_limit, None);
    assert_eq!(settings.public_url.as_str(), "https://file.example/");
    assert_eq!(settings.max_connections, 7);
    assert_eq!(read(&Flags::default(), &variables, file).unwrap().listen.port(), 2);
}

#[test]
fn lists_are_written_with_commas_or_as_lists() {
    let show = |networks: &[IpNet]| networks.iter().map(ToString::to_string).collect::<Vec<_>>();
    for value in [
        "['192.0.2.0/24', '198.51.100.7', '::1']",
        "'192.0.2.0/24, 198.51.100.7,::1'",
    ] {
        let settings = read(&Flags::default(), &[], &format!("trusted_proxies = {value}")).unwrap();
        assert_eq!(
            show(&settings.trusted_proxies),
            ["192.0.2.0/24", "198.51.100.7/32", "::1/128"]
        );
    }
}

#[test]
fn private_networks_are_closed_unless_they_are_listed() {
    assert!(
        read(&Flags::default(), &[], "")
            .unwrap()
            .allow_private_addresses
            .is_empty()
    );
    let listed = [("BINDERY_ALLOW_PRIVATE_ADDRESSES", "10.1.0.0/16, ::1")];
    let networks = read(&Flags::default(), &listed, "").unwrap().allow_private_addresses;
    assert_eq!(
        networks,
        ["10.1.0.0/16".parse().unwrap(), "::1/128".parse::<IpNet>().unwrap()]
    );
    let wrong = problem(&[("BINDERY_ALLOW_PRIVATE_ADDRESSES", "all")], "");
    assert!(
        wrong.contains("BINDERY_ALLOW_PRIVATE_ADDRESSES: `all` is not a list of networks"),
        "{wrong}"
    );
}

#[test]
fn every_mistake_is_named_with_what_is_expected() {
    let variables = [
        ("BINDERY_LISTEN", "here"),
        ("BINDERY_RATE_LIMIT", "0/s"),
        ("BINDERY_ADMIN_TOKEN", "too short"),
    ];
    let problem = problem(&variables, "body_limit = '10 lightyears'");
    for expected in [
        "BINDERY_LISTEN: `here` is not an IP address with a port",
        "BINDERY_RATE_LIMIT: `0/s` is not `off` or a rate",
        "BINDERY_ADMIN_TOKEN: this is not a text of 32 to 512 visible ASCII characters",
        "`body_limit` in",
    ] {
        assert!(problem.contains(expected), "{problem}");
    }
    assert!(!problem.contains("too short"), "{problem}");
}

#[test]
fn unknown_settings_of_the_file_are_refused_and_foreign_variables_ignored() {
    assert!(problem(&[], "lisen = '127.0.0.1:1'").contains("there is no setting `lisen`"));
    assert!(read(&Flags::default(), &[("BINDERY_SERVICE_HOST", "10.0.0.1")], "").is_ok());
}

#[test]
fn secrets_come_from_files_and_are_never_shown() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("token");
    let token = "s3cret-".repeat(6);
    fs::write(&path, format!("{token}\n")).unwrap();
    let path = path.display().to_string();
    let url = "postgres://someone:hunter22@db.example/bindery";
    let variables = [
        ("BINDERY_ADMIN_TOKEN_FILE", path.as_str()),
        ("BINDERY_DATABASE_URL", url),
    ];
    let settings = read(&Flags::default(), &variables, "").unwrap();
    assert_eq!(
        settings
            .admin_token
            .as_ref()
            .map(|token| token.expose_secret().to_owned()),
        Some(token)
    );
    assert!(!settings.database_for_display().contains("hunter22"));
    let shown = format!("{settings:?}");
    assert!(!shown.contains("s3cret") && !shown.contains("hunter22"), "{shown}");
}

#[test]
fn the_key_is_made_once_and_kept_private() {
    let directory = tempfile::tempdir().unwrap();
    let first = Settings::of_flags(&flags(&directory)).unwrap();
    let second = Settings::of_flags(&flags(&directory)).unwrap();
    assert_eq!(*first.secret_key, *second.secret_key);
    assert_ne!(*first.secret_key, [0; 32]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(directory.path().join("secret.key"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_given_key_is_hexadecimal_or_base64() {
    let hex = "AB".repeat(32);
    let base64 = "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=";
    for key in [hex.as_str(), base64] {
        let settings = read(&Flags::default(), &[("BINDERY_SECRET_KEY", key)], "").unwrap();
        assert_eq!(*settings.secret_key, [0xab; 32]);
    }
    for wrong in ["abc", &"00".repeat(32)] {
        assert!(problem(&[("BINDERY_SECRET_KEY", wrong)], "").contains("a key of 32 bytes"));
    }
}

#[test]
fn the_public_address_follows_the_bound_one_unless_it_was_set() {
    let mut settings = read(&Flags::default(), &[("BINDERY_LISTEN", "0.0.0.0:0")], "").unwrap();
    settings.bound_to("0.0.0.0:4711".parse().unwrap()).unwrap();
    assert_eq!(settings.public_url.as_str(), "http://127.0.0.1:4711/");
    let mut settings = read(
        &Flags::default(),
        &[("BINDERY_PUBLIC_URL", "https://docs.example/base")],
        "",
    )
    .unwrap();
    settings.bound_to("0.0.0.0:4711".parse().unwrap()).unwrap();
    assert_eq!(settings.page("docs/"), "https://docs.example/base/docs/");
}

#[test]
fn blobs_are_in_the_data_directory_or_in_a_bucket() {
    let address = |text: &str| {
        read(&Flags::default(), &[("BINDERY_BLOB_STORE", text)], "")
            .unwrap()
            .blob_store
    };
    let local = read(&Flags::default(), &[], "").unwrap().blob_store;
    assert_eq!(local, BlobAddress::Local("data/blobs".into()));
    assert_eq!(address("local"), local);
    for (text, bucket, prefix) in [
        ("s3://docs", "docs", ""),
        ("s3://docs/", "docs", ""),
        ("s3://docs.example/bindery/blobs/", "docs.example", "bindery/blobs"),
    ] {
        let (bucket, prefix) = (bucket.to_owned(), prefix.to_owned());
        assert_eq!(address(text), BlobAddress::S3 { bucket, prefix });
    }
    for text in [
        "bucket",
        "s3://",
        "s3:///x",
        "s3://key:secret@docs",
        "https://docs",
        "s3://docs/a//b",
        "s3://docs/ä",
    ] {
        let problem = problem(&[("BINDERY_BLOB_STORE", text)], "");
        assert!(problem.contains("is not `local` or s3://BUCKET/PREFIX"), "{problem}");
    }
}

#[test]
fn mails_need_a_server_and_a_sender() {
    assert!(read(&Flags::default(), &[], "").unwrap().mail().is_none());
    let from = ("BINDERY_MAIL_FROM", "Bindery <docs@tidewater.example>");
    assert!(read(&Flags::default(), &[from], "").unwrap().mail().is_none());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("smtp-url");
    fs::write(&path, "smtps://docs:hunter22@mail.example\n").unwrap();
    let path = path.display().to_string();
    let settings = read(&Flags::default(), &[("BINDERY_SMTP_URL_FILE", &path), from], "").unwrap();
    let shown = format!("{settings:?}");
    assert!(!shown.contains("hunter22"), "{shown}");
    let mail = settings.mail().unwrap();
    assert_eq!(mail.from.email.to_string(), "docs@tidewater.example");
    assert_eq!(mail.smtp_url.expose_secret(), "smtps://docs:hunter22@mail.example");

    let alone = [("BINDERY_SMTP_URL", "smtp://127.0.0.1:25")];
    assert!(problem(&alone, "").contains("BINDERY_SMTP_URL needs BINDERY_MAIL_FROM"));
    let wrong = [("BINDERY_SMTP_URL", "smtp://127.0.0.1:25"), ("BINDERY_MAIL_FROM", "me")];
    assert!(problem(&wrong, "").contains("BINDERY_MAIL_FROM: `me` is not an email address"));
    for url in [
        "mail.example",
        "http://mail.example",
        "smtp://",
        "smtp://hunter22@mail.example",
        "smtp://mail.example/?tls=none",
    ] {
        let problem = problem(&[("BINDERY_SMTP_URL", url), from], "");
        assert!(problem.contains("this is not a mail server"), "{url}: {problem}");
        assert!(!problem.contains("hunter22"), "{problem}");
    }
}

/// The list of the settings is the only one in code; people read another one.
#[test]
fn every_setting_is_in_a_table_of_the_documentation() {
    let page = include_str!("../../../../docs/configuration.md");
    for setting in DECLARED {
        let row = format!("| `BINDERY_{}` ", setting.key.to_uppercase());
        let line = page.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| panic!("docs/configuration.md has no row for {}", setting.key));
        assert_eq!(line.contains("` (secret) |"), setting.kind == Kind::Secret, "{line}");
    }
    let rows = page.lines().filter(|line| line.starts_with("| `BINDERY_"));
    assert_eq!(rows.count(), DECLARED.len());
}

#[test]
fn every_flag_has_a_help_with_its_default() {
    let command = <Flags as clap::Args>::augment_args(clap::Command::new("test"));
    for flag in command.get_arguments() {
        assert_eq!(flag.get_long(), Some(flag.get_id().as_str().replace('_', "-").as_str()));
        let help = flag.get_help().unwrap().to_string();
        assert!(help.contains(" [default: ") && help.ends_with(']'), "{help}");
    }
}

#[test]
fn neither_key_nor_database_is_made_anew_beside_the_other() {
    let directory = tempfile::tempdir().unwrap();
    let load = || Settings::read(Sources::of_flags(&flags(&directory)), MissingKey::Wait);
    let mut settings = load().unwrap();
    assert!(settings.lacks_secret_key());
    let error = settings.complete_secret_key(true).unwrap_err().to_string();
    assert!(
        error.contains("secret.key does not exist") && error.contains("BINDERY_SECRET_KEY"),
        "{error}"
    );
    settings.complete_secret_key(false).unwrap();
    // Another process that started at the same time takes this one, although the database is in use by now.
    let mut other = settings.clone();
    other.secret_key = SecretKey::unset();
    other.complete_secret_key(true).unwrap();
    assert_eq!(*other.secret_key, *settings.secret_key);

    let error = load().unwrap_err().to_string();
    assert!(error.contains("bindery.db is not; restore it"), "{error}");
    // As the driver leaves it where it found none.
    fs::write(directory.path().join("bindery.db"), "").unwrap();
    assert!(load().is_err());
    fs::write(directory.path().join("bindery.db"), "a database").unwrap();
    assert!(!load().unwrap().lacks_secret_key());
}

#[test]
fn the_file_of_a_database_url_is_found() {
    for (url, file) in [
        ("sqlite:///var/lib/a%20b.db?mode=rwc", Some("/var/lib/a b.db")),
        ("sqlite://data/bindery.db", Some("data/bindery.db")),
        ("postgres://db.example/bindery", None),
    ] {
        assert_eq!(parse::sqlite_file(url), file.map(PathBuf::from), "{url}");
    }
}

#[test]
fn insights_may_be_kept_by_clickhouse() {
    assert!(read(&Flags::default(), &[], "").unwrap().insights_url.is_none());
    for (text, url, user, password, database) in [
        (
            "https://docs:hunter%2022@db.example:8443/insights",
            "https://db.example:8443/",
            "docs",
            "hunter 22",
            "insights",
        ),
        (
            "http://10.0.0.7:8123/insights/",
            "http://10.0.0.7:8123/",
            "default",
            "",
            "insights",
        ),
        (
            "clickhouse://docs@db.example/insights",
            "http://db.example:8123/",
            "docs",
            "",
            "insights",
        ),
        (
            "clickhouse://db.example:80/insights",
            "http://db.example/",
            "default",
            "",
            "insights",
        ),
    ] {
        let settings = read(&Flags::default(), &[("BINDERY_INSIGHTS_URL", text)], "").unwrap();
        let shown = format!("{settings:?}");
        assert!(!shown.contains("hunter"), "{shown}");
        let address = settings.insights_url.unwrap();
        assert_eq!(address.url.as_str(), url);
        assert_eq!(
            (
                address.user.as_str(),
                address.password.expose_secret(),
                address.database.as_str()
            ),
            (user, password, database)
        );
    }
    for text in [
        "db.example",
        "postgres://db.example/insights",
        "http://docs:hunter22@db.example",
        "https:///insights",
    ] {
        let problem = problem(&[("BINDERY_INSIGHTS_URL", text)], "");
        assert!(
            problem.contains("this is not the address of a ClickHouse server"),
            "{text}: {problem}"
        );
        assert!(!problem.contains("hunter22"), "{problem}");
    }
}

#[test]
fn secrets_come_from_credentials_of_systemd() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("bindery_database_url"),
        "postgres://u:hunter22@db/b\n",
    )
    .unwrap();
    fs::write(directory.path().join("bindery_listen"), "127.0.0.1:1").unwrap();
    let read = |variables: &[(&str, &str)]| {
        let mut sources = Sources::of_flags(&Flags::default());
        sources.read_environment(environment(variables)).unwrap();
        sources.credentials = Some(directory.path().to_owned());
        Settings::read(sources, MissingKey::Pretend).unwrap()
    };
    let settings = read(&[]);
    assert_eq!(settings.database_url.expose_secret(), "postgres://u:hunter22@db/b");
    assert_eq!(settings.listen.port(), 4000);
    let settings = read(&[("BINDERY_DATABASE_URL", "sqlite://other.db")]);
    assert_eq!(settings.database_url.expose_secret(), "sqlite://other.db");

    fs::write(directory.path().join("bindery_admin_token"), "hunter22").unwrap();
    let mut sources = Sources::of_flags(&Flags::default());
    sources.credentials = Some(directory.path().to_owned());
    let problem = Settings::read(sources, MissingKey::Pretend).unwrap_err().to_string();
    assert!(
        problem.contains("credential bindery_admin_token") && !problem.contains("hunter22"),
        "{problem}"
    );
}

const DOCUMENTED: &str = include_str!("../../../../docs/configuration.md");
const PACKAGED: &str = include_str!("../../../../packaging/bindery.toml");

/// The settings of the documentation, with the default of each as text.
fn documented() -> Vec<(String, &'static str)> {
    let rows = DOCUMENTED.lines().filter_map(|line| line.strip_prefix("| `BINDERY_"));
    rows.map(|row| {
        let (name, rest) = row.split_once('`').unwrap();
        let default = rest.split_once("| ").unwrap().1;
        (name.to_lowercase(), default.split(" | ").next().unwrap())
    })
    .collect()
}

/// The lines with settings of the file that packages install, as if none were commented out.
fn packaged() -> impl Iterator<Item = &'static str> {
    let lines = PACKAGED
        .lines()
        .filter(|line| !line.starts_with("# ") && !line.is_empty());
    lines
        .map(|line| line.trim_start_matches('#'))
        .filter(|line| !line.is_empty())
}

#[test]
fn the_file_of_packages_has_each_documented_setting() {
    let names = |list: &[(String, &str)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let documented = documented();
    let lines: Vec<_> = packaged().map(|line| line.split_once(" = ").unwrap()).collect();
    let listed: Vec<_> = lines.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(listed, names(&documented));
    let mut declared: Vec<_> = DECLARED.iter().map(|setting| setting.key.to_owned()).collect();
    declared.sort();
    let mut sorted = listed;
    sorted.sort();
    assert_eq!(sorted, declared);
    for ((name, default), (_, value)) in documented.iter().zip(&lines) {
        let default = default.trim_matches('`');
        let literal = default.chars().all(|c| c.is_ascii_alphanumeric() || ".:/@".contains(c));
        let is_none = default == "none" || default == "random" || name == "data_dir";
        assert!(
            !literal || is_none || value.trim_matches('"') == default,
            "{name}: {value}, but {default}"
        );
    }
}

#[test]
fn each_setting_of_the_file_of_packages_can_be_used() {
    let placeholder = |line: &&str| {
        let name = line.split(' ').next().unwrap();
        !matches!(name, "secret_key" | "geoip_database" | "data_dir")
    };
    let file: String = packaged().filter(placeholder).map(|line| format!("{line}\n")).collect();
    let directory = tempfile::tempdir().unwrap();
    let settings = read(&flags(&directory), &[], &file).unwrap();
    assert_eq!(settings.rate_limit, parse::rate_limit("1000/s").unwrap());
    assert_eq!(read(&flags(&directory), &[], PACKAGED).unwrap().trusted_proxies, []);
}
