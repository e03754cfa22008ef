"""A receiver of events on 127.0.0.1, in a process of its own. It answers all requests, or keeps them waiting."""

import asyncio
import multiprocessing
import re

ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


class Receiver:
    def __init__(self):
        self.arrived, self.holds = multiprocessing.Value("q", 0), multiprocessing.Value("b", 0)
        ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(theirs, self.arrived, self.holds), daemon=True)
        self.process.start()
        self.url = f"http://127.0.0.1:{ours.recv()}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.join()

    def hold(self):
        self.holds.value = 1

    def release(self):
        self.holds.value = 0


def serve(pipe, arrived, holds):
    asyncio.run(listen(pipe, arrived, holds))


async def listen(pipe, arrived, holds):
    server = await asyncio.get_running_loop().create_server(lambda: Connection(arrived, holds), "127.0.0.1", 0)
    pipe.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


class Connection(asyncio.Protocol):
    def __init__(self, arrived, holds):
        self.arrived, self.holds, self.received = arrived, holds, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if end and len(body) >= (int(length.group(1)) if length else 0):
            self.received = b""
            # No other process writes.
            self.arrived.value += 1
            self.answer()

    def answer(self):
        if self.holds.value:
            asyncio.get_running_loop().call_later(0.01, self.answer)
        else:
            self.transport.write(ANSWER)
