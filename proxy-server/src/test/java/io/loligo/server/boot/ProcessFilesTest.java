package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.Waiting;
import io.loligo.server.takeover.Incumbent;
import io.loligo.server.transport.ListeningSocket;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class ProcessFilesTest {
  @TempDir Path dir;
  private final ProcessFiles files = new ProcessFiles(new Serving(), "1");

  /** Starts a successor on demand, which never comes. */
  private static final class Serving implements Incumbent {
    @Override
    public String refusal() {
      return null;
    }

    @Override
    public List<ListeningSocket> sockets() {
      return List.of();
    }

    @Override
    public void goOn() {}

    @Override
    public void giveStore() {}

    @Override
    public void takeStoreBack(long successor) {}

    @Override
    public void handOver(long successor) {}

    @Override
    public Successor start() {
      return new Successor(4711, new CompletableFuture<>());
    }
  }

  @AfterEach
  void close() {
    files.close();
  }

  private ProxyConfig at(String socket) {
    return Features.reader(new FileConfigSource())
        .readText(
            "loligo.conf",
            "http_port 0\npid_filename none\nloligo_takeover_socket " + dir.resolve(socket))
        .config();
  }

  private ProcessFiles.Change move(String socket) throws IOException {
    return files.prepare(at(socket), at(socket));
  }

  /** The command would never hear of its successor, nor the successor find the socket. */
  @Test
  void theSocketStaysWhereItIsWhileAnotherProcessTalksThere() throws Exception {
    Path place = dir.resolve("a");
    files.begin(null, place);
    try (SocketChannel command = SocketChannel.open(UnixDomainSocketAddress.of(place))) {
      command.write(ByteBuffer.wrap("start\n".getBytes(StandardCharsets.UTF_8)));
      BufferedReader lines =
          new BufferedReader(Channels.newReader(command, StandardCharsets.UTF_8));
      assertThat(lines.readLine()).startsWith("started");
      assertThatThrownBy(() -> move("b"))
          .isInstanceOf(IOException.class)
          .hasMessage(
              "loligo_takeover_socket: another process is about to take over: reload when that has"
                  + " ended");
      assertThat(dir.resolve("b")).doesNotExist();
      move("a").commit();
      assertThat(place).exists();
    }
    Waiting.until("the command has been heard to end", () -> moves("b"));
    assertThat(dir.resolve("b")).exists();
    assertThat(place).doesNotExist();
  }

  private boolean moves(String socket) {
    try {
      move(socket).commit();
      return true;
    } catch (IOException refused) {
      return false;
    }
  }
}
