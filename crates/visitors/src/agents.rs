//! User agents.

use woothee::parser::Parser;

/// What a user agent tells, as values of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    pub browser: &'static str,
    pub device: &'static str,
    pub os: &'static str,
    /// `None`: no bot.
    pub bot: Option<&'static str>,
}

/// Texts in the user agents of bots, in lower case, and the names of the bots.
const BOTS: [(&str, &str); 14] = [
    ("googlebot", "googlebot"),
    ("google-inspectiontool", "googlebot"),
    ("bingbot", "bingbot"),
    ("bingpreview", "bingbot"),
    ("duckduckbot", "duckduckbot"),
    ("duckassistbot", "duckduckbot"),
    ("facebookexternalhit", "facebookbot"),
    ("facebookbot", "facebookbot"),
    ("meta-externalagent", "facebookbot"),
    ("applebot", "applebot"),
    ("gptbot", "chatgpt"),
    ("chatgpt-user", "chatgpt"),
    ("oai-searchbot", "chatgpt"),
    ("claude", "anthropic"),
];

/// Texts in the user agents of further programs, which the parser does not know as crawlers.
const PROGRAMS: [&str; 12] = [
    "anthropic-ai",
    "bot/",
    "bot;",
    "crawler",
    "curl/",
    "go-http-client",
    "headlesschrome",
    "libwww-perl",
    "python-requests",
    "spider",
    "wget/",
    "scrapy",
];

pub fn read(user_agent: &str) -> Agent {
    let lower = user_agent.to_ascii_lowercase();
    let parsed = Parser::new().parse(user_agent).unwrap_or_default();
    let os = os(parsed.os, &lower);
    Agent {
        browser: browser(parsed.name),
        device: device(parsed.category, os, &lower),
        os,
        bot: bot(parsed.category, &lower),
    }
}

fn bot(category: &str, lower: &str) -> Option<&'static str> {
    if let Some((_, name)) = BOTS.iter().find(|(text, _)| lower.contains(text)) {
        return Some(name);
    }
    if lower.contains("anthropic-ai") {
        return Some("anthropic");
    }
    let is_program = category == "crawler" || PROGRAMS.iter().any(|text| lower.contains(text));
    is_program.then_some("unknown")
}

fn browser(name: &str) -> &'static str {
    match name {
        "Chrome" | "Vivaldi" | "SamsungBrowser" | "Samsung Browser" | "Yandex Browser" => "chrome",
        "Firefox" => "firefox",
        "Safari" | "Webview" => "safari",
        "Edge" => "edge",
        "Internet Explorer" => "ie",
        "Opera" => "opera",
        _ => "unknown",
    }
}

fn os(name: &str, lower: &str) -> &'static str {
    match name {
        "iPhone" | "iPad" | "iPod" | "iOS" => "ios",
        "Mac OSX" | "Mac OS Classic" => "macos",
        "Android" => "android",
        "Linux" | "ChromeOS" => "linux",
        name if name.starts_with("Windows") => "windows",
        _ if lower.contains("android") => "android",
        _ => "unknown",
    }
}

/// Phones with Android say `Mobile`, tablets do not.
fn device(category: &str, os: &str, lower: &str) -> &'static str {
    let is_tablet = lower.contains("ipad")
        || lower.contains("tablet")
        || lower.contains("kindle")
        || (os == "android" && !lower.contains("mobile"));
    match category {
        "crawler" => "unknown",
        _ if is_tablet => "tablet",
        "pc" => "desktop",
        "smartphone" | "mobilephone" => "mobile",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agents_are_read() {
        for (user_agent, browser, device, os, bot) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "firefox",
                "desktop",
                "linux",
                None,
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                "chrome",
                "desktop",
                "windows",
                None,
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
                "edge",
                "desktop",
                "windows",
                None,
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 OPR/120.0.0.0",
                "opera",
                "desktop",
                "windows",
                None,
            ),
            (
                "Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko",
                "ie",
                "desktop",
                "windows",
                None,
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
                "safari",
                "desktop",
                "macos",
                None,
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
                "safari",
                "mobile",
                "ios",
                None,
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
                "safari",
                "tablet",
                "ios",
                None,
            ),
            (
                "Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
                "chrome",
                "mobile",
                "android",
                None,
            ),
            (
                "Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                "chrome",
                "tablet",
                "android",
                None,
            ),
            (
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "unknown",
                "unknown",
                "unknown",
                Some("googlebot"),
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot",
                "unknown",
                "unknown",
                "unknown",
                Some("chatgpt"),
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
                "unknown",
                "unknown",
                "unknown",
                Some("anthropic"),
            ),
            ("curl/8.15.0", "unknown", "unknown", "unknown", Some("unknown")),
            ("", "unknown", "unknown", "unknown", None),
        ] {
            let read = read(user_agent);
            assert_eq!(read.bot, bot, "{user_agent}");
            // What a bot says of its browser is of no interest here.
            if bot.is_none() {
                assert_eq!(
                    (read.browser, read.device, read.os),
                    (browser, device, os),
                    "{user_agent}"
                );
            }
        }
    }
}
