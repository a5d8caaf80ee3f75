package io.loligo.server.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.loligo.server.transport.InheritedSockets;
import io.loligo.server.transport.ListeningSocket;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class TakeoverSocketTest {
  private static final String HOST = "127.0.0.1";

  @TempDir Path dir;
  private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
  private final CompletableFuture<Integer> ended = new CompletableFuture<>();
  private volatile String refusal;
  private volatile boolean keepsStore;
  private volatile boolean isDefect;
  private Socket listening;
  private TakeoverSocket socket;

  /** Notes the calls. */
  private final class Noting implements Incumbent {
    @Override
    public String refusal() {
      return refusal;
    }

    @Override
    public List<ListeningSocket> sockets() {
      InetSocketAddress address = listening.localAddress();
      return List.of(
          new ListeningSocket(ListeningSocket.CLIENTS, HOST, 0, address, listening),
          new ListeningSocket(ListeningSocket.ADMIN, "", 3129, address, listening));
    }

    @Override
    public void goOn() {
      calls.add("goes on");
    }

    @Override
    public void giveStore() throws IOException {
      if (keepsStore) {
        throw new IOException("it keeps it");
      }
      assertNoDefect();
      calls.add("give");
    }

    @Override
    public void takeStoreBack(long successor) {
      calls.add("back");
    }

    @Override
    public void handOver(long successor) {
      assertNoDefect();
      calls.add("over to " + successor);
    }

    @Override
    public Successor start() {
      calls.add("start");
      return new Successor(4711, ended);
    }
  }

  @BeforeEach
  void open() throws IOException {
    Epoll.ensureAvailability();
    listening = Socket.newSocketStream();
    listening.bind(new InetSocketAddress(InetAddress.getByName(HOST), 0));
    listening.listen(1);
    socket = TakeoverSocket.open(path(), new Noting(), "1");
  }

  @AfterEach
  void close() throws IOException {
    socket.close();
    listening.close();
  }

  private void assertNoDefect() {
    if (isDefect) {
      throw new IllegalStateException("a defect");
    }
  }

  private Path path() {
    return dir.resolve("takeover");
  }

  private Takeover successor() throws IOException {
    return Takeover.at(path());
  }

  private String call() throws InterruptedException {
    return calls.poll(60, TimeUnit.SECONDS);
  }

  @Test
  void aSuccessorGetsSocketsAndStoreAndTakesOver() throws Exception {
    try (Takeover successor = successor();
        InheritedSockets sockets = successor.sockets("2")) {
      successor.takeStore();
      successor.complete();
      assertThat(call()).isEqualTo("give");
      assertThat(call()).isEqualTo("over to " + ProcessHandle.current().pid());
      InetSocketAddress address = listening.localAddress();
      List<FileDescriptor> given =
          sockets.claim(ListeningSocket.ADMIN, "other", address.getPort(), address);
      assertThat(given).hasSize(1);
      assertThat(new Socket(given.get(0).intValue()).localAddress()).isEqualTo(address);
      assertThat(given.get(0).intValue()).isNotEqualTo(listening.intValue());
      given.get(0).close();
    }
    assertThat(calls).isEmpty();
    assertThatThrownBy(this::successor).hasMessageContaining("no proxy answers");
  }

  @Test
  void theStoreGoesBackIfTheSuccessorEnds() throws Exception {
    try (Takeover successor = successor()) {
      successor.sockets("2").close();
      successor.takeStore();
    }
    assertThat(call()).isEqualTo("give");
    assertThat(call()).isEqualTo("back");
    try (Takeover successor = successor()) {
      successor.sockets("2").close();
    }
    assertThat(call()).isEqualTo("goes on");
    try (Takeover successor = successor()) {
      successor.sockets("2").close();
      successor.complete();
    }
    assertThat(call()).startsWith("over to ");
  }

  @Test
  void aRefusalNamesItsReason() throws Exception {
    refusal = "it is starting";
    try (Takeover successor = successor()) {
      assertThatThrownBy(() -> successor.sockets("2")).hasMessageEndingWith("it is starting");
    }
    refusal = null;
    keepsStore = true;
    try (Takeover successor = successor()) {
      successor.sockets("2").close();
      assertThatThrownBy(successor::takeStore).hasMessageEndingWith("it keeps it");
    }
    assertThat(call()).isEqualTo("goes on");
    try (Takeover successor = successor()) {
      assertThatThrownBy(successor::takeStore).hasMessageContaining("begins with hello");
    }
    assertThat(calls).isEmpty();
  }

  @Test
  void aSuccessorThatIsGivenUpHearsTheReason() throws Exception {
    socket.close();
    socket = TakeoverSocket.open(path(), new Noting(), "1", 60_000, 1);
    try (Takeover successor = successor()) {
      successor.sockets("2").close();
      successor.takeStore();
      assertThat(call()).isEqualTo("give");
      assertThat(call()).isEqualTo("back");
      assertThatThrownBy(successor::complete).hasMessageEndingWith("has not taken over in 1 ms");
    }
    assertThat(calls).isEmpty();
    socket.close();
    // at once: with a millisecond, a fast successor is done before
    socket = TakeoverSocket.open(path(), new Noting(), "1", 0, 60_000);
    try (Takeover successor = successor()) {
      assertThatThrownBy(
              () -> {
                successor.sockets("2").close();
                successor.complete();
              })
          .isInstanceOf(IOException.class);
    }
    assertThat(call()).isEqualTo("goes on");
  }

  @Test
  void aDefectOfTheProcessInServiceRefusesTheSuccessor() throws Exception {
    isDefect = true;
    try (Takeover successor = successor()) {
      successor.sockets("2").close();
      assertThatThrownBy(successor::takeStore).hasMessageEndingWith("a defect");
    }
    try (Takeover successor = successor()) {
      successor.sockets("2").close();
      assertThatThrownBy(successor::complete).hasMessageEndingWith("a defect");
    }
    assertThat(call()).isEqualTo("goes on");
    assertThat(call()).isEqualTo("goes on");
    isDefect = false;
    try (Takeover successor = successor()) {
      successor.sockets("2").close();
      successor.takeStore();
      isDefect = true;
      assertThatThrownBy(successor::complete).hasMessageEndingWith("a defect");
    }
    assertThat(call()).isEqualTo("give");
    assertThat(call()).isEqualTo("back");
    assertThat(calls).isEmpty();
  }

  /** Ends the conversation instead of an answer to the last word. */
  private Thread endsAtReady(ServerSocketChannel listener, long pid) {
    Thread peer =
        new Thread(
            () -> {
              try (SocketChannel channel = listener.accept()) {
                BufferedReader lines =
                    new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
                String line = lines.readLine();
                while (line != null && !line.equals("ready")) {
                  if (line.startsWith("hello")) {
                    String answer = "hello protocol=1 pid=" + pid + " sockets=0\n";
                    channel.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
                  }
                  line = lines.readLine();
                }
              } catch (IOException e) {
                calls.add(e.toString());
              }
            });
    peer.start();
    return peer;
  }

  @Test
  void theEndOfTheConversationIsSuccessOnlyIfTheProcessHasEnded() throws Exception {
    Path other = dir.resolve("other");
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    Process running = new ProcessBuilder("sleep", "600").start();
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(other));
      for (long pid : new long[] {running.pid(), ProcessHandle.current().pid()}) {
        Thread peer = endsAtReady(listener, pid);
        try (Takeover successor = Takeover.at(other, 1, 1)) {
          successor.sockets("2").close();
          assertThatThrownBy(successor::complete).hasMessageEndingWith("and still runs");
        }
        peer.join();
      }
      Thread peer = endsAtReady(listener, ended.pid());
      try (Takeover successor = Takeover.at(other, 1, 1)) {
        successor.sockets("2").close();
        successor.complete();
      }
      peer.join();
    } finally {
      running.destroyForcibly();
    }
    assertThat(calls).isEmpty();
  }

  @Test
  void oneProcessAtATimeTakesOver() throws Exception {
    try (Takeover successor = successor();
        Takeover other = successor()) {
      successor.sockets("2").close();
      assertThatThrownBy(() -> other.sockets("2")).hasMessageContaining("another process");
      successor.complete();
    }
  }

  @Test
  void aCommandHearsOfTheSuccessor() throws Exception {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    try (Takeover command = successor()) {
      Thread waiting =
          new Thread(
              () -> {
                try {
                  answer.complete(command.startSuccessor());
                } catch (IOException e) {
                  answer.completeExceptionally(e);
                }
              });
      waiting.start();
      assertThat(call()).isEqualTo("start");
      try (Takeover successor = successor()) {
        successor.sockets("2").close();
        successor.complete();
      }
      assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(ProcessHandle.current().pid());
      waiting.join();
    }
  }

  @Test
  void aCommandHearsThatTheSuccessorHasEnded() throws Exception {
    ended.complete(1);
    try (Takeover command = successor()) {
      assertThatThrownBy(command::startSuccessor)
          .hasMessageContaining("4711, has ended with status 1; the old one goes on");
    }
  }

  @Test
  void aCommandThatHearsNothingDoesNotReportAFailure() throws Exception {
    try (Takeover command = Takeover.at(path(), 1, 1)) {
      assertThatThrownBy(command::startSuccessor)
          .isInstanceOf(Takeover.UnknownOutcomeException.class)
          .hasMessageContaining("process 4711 was started; it is not known");
    }
    assertThat(call()).isEqualTo("start");
  }

  @Test
  void aCommandDoesNotReportAFailureIfTheOldProcessEnds() throws Exception {
    CompletableFuture<Throwable> answer = new CompletableFuture<>();
    try (Takeover command = successor()) {
      Thread waiting =
          new Thread(() -> answer.complete(catchThrowable(command::startSuccessor)), "command");
      waiting.start();
      assertThat(call()).isEqualTo("start");
      socket.close();
      assertThat(answer.get(60, TimeUnit.SECONDS))
          .isInstanceOf(Takeover.UnknownOutcomeException.class)
          .hasMessageContaining("the running one has ended");
      waiting.join();
    }
  }

  private TakeoverSocket other(Path path) throws IOException {
    return TakeoverSocket.open(path, new Noting(), "1");
  }

  @Test
  void onlyASocketIsReplaced() throws Exception {
    Path text = Files.writeString(dir.resolve("text"), "kept");
    Path link = Files.createSymbolicLink(dir.resolve("link"), path());
    for (Path wrong : List.of(text, link, dir)) {
      assertThatThrownBy(() -> other(wrong)).hasMessageContaining(wrong + ": is no socket");
      assertThatThrownBy(() -> TakeoverSocket.checkFree(wrong)).hasMessageContaining("no socket");
    }
    assertThat(text).hasContent("kept");
    assertThat(link).isSymbolicLink();
  }

  @Test
  void aSocketWithAProcessIsNotFree() throws Exception {
    assertThatThrownBy(() -> TakeoverSocket.checkFree(path()))
        .hasMessageContaining(path() + ": another process");
    Path left = dir.resolve("left");
    try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      killed.bind(UnixDomainSocketAddress.of(left));
    }
    assertThat(left).exists();
    TakeoverSocket.checkFree(left);
    TakeoverSocket.checkFree(dir.resolve("none"));
    other(left).close();
    assertThat(left).doesNotExist();
  }

  @Test
  void theFileOfAnotherProcessIsNotRemoved() throws Exception {
    TakeoverSocket former = socket;
    socket = other(path());
    former.close();
    try (Takeover successor = successor()) {
      successor.sockets("2").close();
    }
    socket.close();
    assertThat(path()).doesNotExist();
  }

  @Test
  void nothingElseIsLeftInTheFolder() throws Exception {
    assertThat(Files.getPosixFilePermissions(path()))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    Path tooLong = dir.resolve("x".repeat(200));
    Path longFolder = Files.createDirectory(tooLong);
    assertThatThrownBy(() -> other(longFolder.resolve("takeover")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("takeover: ");
    assertThat(longFolder).isEmptyDirectory();
    assertThat(dir.toFile().list())
        .containsExactlyInAnyOrder("takeover", tooLong.toFile().getName());
  }

  @Test
  void unknownFieldsAreIgnored() {
    TakeoverMessage message = TakeoverMessage.parse("hello protocol=1 later=%2Fa+b none= =x y");
    assertThat(message.word()).isEqualTo("hello");
    assertThat(message.number("protocol")).isEqualTo(1);
    assertThat(message.text("later")).isEqualTo("/a b");
    assertThat(message.number("later")).isEqualTo(-1);
    assertThat(message.text("none")).isEmpty();
    assertThat(TakeoverMessage.parse(message.line())).isEqualTo(message);
  }

  @Test
  void portsThatTheSystemChoseAreClaimedInTheirOrder() {
    List<ListeningSocket> sockets = new ArrayList<>();
    for (int descriptor : new int[] {101, 102, 103}) {
      int port = descriptor == 102 ? 2 : 1;
      InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      sockets.add(
          new ListeningSocket(
              ListeningSocket.CLIENTS, HOST, 0, address, new FileDescriptor(descriptor)));
    }
    InheritedSockets inherited = new InheritedSockets(sockets);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    assertThat(inherited.claim(ListeningSocket.CLIENTS, HOST, 0, any))
        .extracting(FileDescriptor::intValue)
        .containsExactly(101, 103);
    assertThat(inherited.claim(ListeningSocket.CLIENTS, HOST, 0, any))
        .extracting(FileDescriptor::intValue)
        .containsExactly(102);
    assertThat(inherited.claim(ListeningSocket.CLIENTS, HOST, 0, any)).isEmpty();
  }
}
