package io.loligo.server.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.transport.InheritedSockets;
import io.loligo.server.transport.ListeningSocket;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
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
    public void giveStore() throws IOException {
      if (keepsStore) {
        throw new IOException("it keeps it");
      }
      calls.add("give");
    }

    @Override
    public void takeStoreBack(long successor) {
      calls.add("back");
    }

    @Override
    public void handOver(long successor) {
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

  private Path path() {
    return dir.resolve("takeover");
  }

  private Takeover successor() throws IOException {
    return Takeover.at(path());
  }

  private String call() throws InterruptedException {
    return calls.poll(10, TimeUnit.SECONDS);
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
    try (Takeover successor = successor()) {
      assertThatThrownBy(successor::takeStore).hasMessageContaining("begins with hello");
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
      assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo(ProcessHandle.current().pid());
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
