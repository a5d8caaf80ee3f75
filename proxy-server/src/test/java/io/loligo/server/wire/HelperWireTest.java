package io.loligo.server.wire;

import io.loligo.server.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;

/** Tests of requests about which a {@link HelperScript} is asked. */
abstract class HelperWireTest extends WireTest {
  HelperScript helper;
  private Path gate;

  @BeforeEach
  final void placeGate() {
    gate = dir.resolve("gate");
  }

  /**
   * Writes {@link #helper}, without channels: it ends at {@code /die}, answers {@code /hang} with
   * OK after {@link #openGate}, and everything else by {@code cases}.
   */
  final void writeHelper(String name, String... cases) throws IOException {
    String[] all = Arrays.copyOf(cases, cases.length + 2);
    System.arraycopy(cases, 0, all, 2, cases.length);
    all[0] = "*/hang*) while [ ! -e " + gate + " ]; do sleep 0.01; done; echo OK ;;";
    all[1] = "*/die*) exit 1 ;;";
    helper = HelperScript.write(dir, name, /* channels= */ false, all);
  }

  /** A client whose request has made the helper hang, as its first question. */
  final RawClient hangingClient() throws Exception {
    RawClient client = client();
    client.get(origin.url("/hang"));
    Waiting.until("the helper is asked", () -> helper.asked().size() == 1);
    return client;
  }

  /** The helper answers what it hangs at. */
  final void openGate() throws IOException {
    Files.createFile(gate);
  }

  /** The answer of the admin port. */
  final String admin(String path) throws Exception {
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      String host = "127.0.0.1:" + proxy.adminPort();
      return admin
          .send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
          .response()
          .text();
    }
  }
}
