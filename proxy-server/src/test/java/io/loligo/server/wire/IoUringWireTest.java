package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.uring.IoUring;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Wire tests again on sockets of io_uring: those of back-pressure, half-close, resets, tunnels, TLS
 * and HTTP/2. {@code -Dloligo.test.transport=io_uring} runs all wire tests on them.
 */
final class IoUringWireTest {
  @TempDir Path dir;

  /** Where the system refuses, the test is skipped with the reason. */
  private static String ioUring() {
    assumeThat(IoUring.isAvailable())
        .as("the system does not allow io_uring: %s", IoUring.unavailabilityCause())
        .isTrue();
    return "io_uring";
  }

  @Test
  void isNotStartedWithoutIt() throws Exception {
    Path conf = dir.resolve("loligo.conf");
    Files.writeString(
        conf,
        """
        http_port 127.0.0.1:%d
        http_access allow all
        access_log none
        pid_filename none
        loligo_admin_port off
        loligo_transport io_uring
        """
            .formatted(ProxyProcess.freePort()));
    // as if the system refused
    List<String> options = List.of("-Dio.netty.transport.noNative=true");
    try (ProxyProcess process = ProxyProcess.loligo(dir, options, "run", "-f", conf.toString())) {
      assertThat(process.awaitExit()).isEqualTo(1);
      assertThat(process.output())
          .contains("loligo.conf:6: loligo_transport io_uring: not available here: ")
          .contains("noNative")
          .contains("kernel.io_uring_disabled")
          .contains("; next: ");
    }
  }

  /** Half-closed tunnels, dead kept connections, refused connections. */
  @Nested
  class Forwarding extends ForwardWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** Slow clients and origins hold back the other side. */
  @Nested
  class Streaming extends StreamingWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** A client that does not read is cut off. */
  @Nested
  class SlowPeers extends SlowPeersWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** Tunnels after a 101. */
  @Nested
  class Upgrades extends UpgradeWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** Each way a request can end, resets among them. */
  @Nested
  class Ends extends ConcurrencyWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** A stop under load, and one with tunnels. */
  @Nested
  class Stops extends StoppingWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** TLS with the client. */
  @Nested
  class Tls extends HttpsPortWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** HTTP/2 over TLS. */
  @Nested
  class Http2OverTls extends Http2OverTlsWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** Streams, their windows and resets. */
  @Nested
  class Http2 extends Http2WireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** HTTP/2 to origins. */
  @Nested
  class Http2Origins extends Http2OriginWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }

  /** Marks and traffic classes, options of the socket. */
  @Nested
  class Marks extends PacketMarksWireTest {
    @Override
    String transport() {
      return ioUring();
    }
  }
}
