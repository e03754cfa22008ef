//! User agents.

use woothee::parser::Parser;

use crate::bots;

/// What a user agent tells, as values of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    pub browser: &'static str,
    pub device: &'static str,
    pub os: &'static str,
    /// `None`: no bot.
    pub bot: Option<&'static str>,
}

/// Texts in the user agents of television sets, in lower case.
const TELEVISIONS: [&str; 6] = ["smart-tv", "smarttv", "android tv", "googletv", "bravia", "; aft"];

pub fn read(user_agent: &str) -> Agent {
    let lower = user_agent.to_ascii_lowercase();
    let parsed = Parser::new().parse(user_agent).unwrap_or_default();
    let os = os(parsed.os, &lower);
    Agent {
        browser: browser(parsed.name, os, &lower),
        device: device(parsed.category, os, &lower),
        os,
        bot: bots::find(&lower).or_else(|| (parsed.category == "crawler").then_some("unknown")),
    }
}

fn browser(name: &str, os: &str, lower: &str) -> &'static str {
    match name {
        // There is no Safari on Android: this is a WebView, which has the engine of Chrome since Android 4.4.
        "Safari" | "Webview" if os == "android" => match lower.contains("chrome/") {
            true => "chrome",
            false => "unknown",
        },
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
    // `Tablet PC` is a component of Windows.
    let is_tablet = lower.contains("ipad")
        || lower.replace("tablet pc", "").contains("tablet")
        || lower.contains("kindle")
        || (os == "android" && !lower.contains("mobi") && !lower.contains("opera mini"));
    match category {
        "crawler" => "unknown",
        _ if TELEVISIONS.iter().any(|text| lower.contains(text)) => "unknown",
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

    #[test]
    fn apps_and_old_browsers_are_read() {
        for (user_agent, browser, device, os) in [
            (
                "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UD1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.0.0 Mobile Safari/537.36",
                "chrome",
                "mobile",
                "android",
            ),
            (
                "Mozilla/5.0 (Linux; Android 9; Eluga I8 Build/PPR1; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/121.0.6167.178 Mobile Safari/537.36 Instagram 340.0.0.14.109 Android (28/9; 320dpi; 720x1371; PANASONIC/Panasonic; Eluga I8; Eluga_I8; mt6765; en_IN; 622085927)",
                "chrome",
                "mobile",
                "android",
            ),
            (
                "Mozilla/5.0 (Linux; U; Android 4.0.3; de-de; Galaxy S II) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30",
                "unknown",
                "mobile",
                "android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 329.0.0 (iPhone15,2; iOS 17_4; en_US; en; scale=3.00; 1179x2556; 591)",
                "safari",
                "mobile",
                "ios",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/124.0.6367.88 Mobile/15E148 Safari/604.1",
                "chrome",
                "mobile",
                "ios",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/125.0 Mobile/15E148 Safari/605.1.15",
                "firefox",
                "mobile",
                "ios",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 EdgiOS/124.0.2478.50 Mobile/15E148 Safari/604.1",
                "edge",
                "mobile",
                "ios",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36 EdgA/124.0.0.0",
                "edge",
                "mobile",
                "android",
            ),
            (
                "Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16",
                "opera",
                "mobile",
                "android",
            ),
            (
                "Opera/9.80 (Android 4.1.2; Linux; Opera Mobi/ADR-1301080958) Presto/2.11.355 Version/12.10",
                "opera",
                "mobile",
                "android",
            ),
            (
                "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; WOW64; Trident/6.0; Tablet PC 2.0)",
                "ie",
                "desktop",
                "windows",
            ),
            (
                "Mozilla/5.0 (Android 13; Tablet; rv:125.0) Gecko/125.0 Firefox/125.0",
                "firefox",
                "tablet",
                "android",
            ),
            (
                "Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
                "chrome",
                "unknown",
                "android",
            ),
        ] {
            let read = read(user_agent);
            assert_eq!(
                (read.browser, read.device, read.os, read.bot),
                (browser, device, os, None),
                "{user_agent}"
            );
        }
    }
}
