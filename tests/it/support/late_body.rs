//! Calls whose body comes late: the server has let the caller in, and waits for the body.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::client::Call;

/// A call of which the server has the head, and has asked for the body.
pub struct LateBody {
    connection: TcpStream,
    body: String,
}

impl Call<'_> {
    /// Sends the head of the call, and waits for the server to ask for the body.
    pub async fn send_head(self) -> LateBody {
        let body = self.body.unwrap_or_default();
        let address = self.client.base.strip_prefix("http://").unwrap();
        let mut connection = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "{} {} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\n\
             Content-Length: {}\r\nExpect: 100-continue\r\nConnection: close\r\n",
            self.operation.method.to_uppercase(),
            self.path,
            self.client.token.as_deref().unwrap_or_default(),
            self.content_type,
            body.len(),
        );
        let others = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let head: String = [head].into_iter().chain(others).chain(["\r\n".to_owned()]).collect();
        connection.write_all(head.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(connection.read_u8().await.unwrap());
        }
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 100 "), "{}: {answer}", self.operation.id);
        LateBody { connection, body }
    }
}

impl LateBody {
    /// Sends the body. The answer comes on the connection.
    pub async fn send_unread(mut self) -> TcpStream {
        self.connection.write_all(self.body.as_bytes()).await.unwrap();
        self.connection
    }

    /// Sends the body. Returns the status and the text of the whole answer.
    pub async fn send(mut self) -> (u16, String) {
        self.connection.write_all(self.body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        self.connection.read_to_string(&mut answer).await.unwrap();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap(), answer)
    }
}
