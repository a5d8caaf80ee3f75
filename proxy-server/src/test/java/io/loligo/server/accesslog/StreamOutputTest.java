package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclList;
import io.loligo.server.Waiting;
import io.loligo.server.config.Configs;
import io.loligo.server.record.SampleRecord;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Logs over TCP and through a {@code logfile_daemon}. */
@Timeout(60)
class StreamOutputTest {
  @TempDir Path directory;

  private static LogSettings logging(String daemon, int rotate, String module, String place) {
    return new LogSettings(
        Configs.of("")
            .with(
                LogDirectives.ACCESS_LOG,
                List.of(
                    new LogTarget(LogPlace.of(module, place), "line", AclList.allowAll(), "f:1")))
            .with(LogDirectives.LOGFORMAT, Map.of("line", "%rm %rp"))
            .with(LogDirectives.LOGFILE_ROTATE, rotate)
            .with(LogDirectives.LOGFILE_DAEMON, daemon));
  }

  private static AccessLog open(LogSettings logging) throws IOException {
    return AccessLog.open(logging, 1, () -> {});
  }

  private static void log(AccessLog log, int number) {
    log.loop(0).finished(SampleRecord.of("GET http://h/" + number + " HTTP/1.1", "Host: h"));
  }

  private static List<String> lines(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "GET /" + i).toList();
  }

  private static List<String> read(Socket from, int count) throws IOException {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(from.getInputStream(), US_ASCII));
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(reader.readLine());
    }
    return lines;
  }

  // ---- TCP

  @Test
  void sendsLinesOverTcp() throws Exception {
    try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      AccessLog log = open(logging("", 0, "tcp", "//127.0.0.1:" + receiver.getLocalPort()));
      log(log, 0);
      log(log, 1);
      try (Socket from = receiver.accept()) {
        assertThat(read(from, 2)).isEqualTo(lines(0, 2));
        log(log, 2);
        log.close();
        assertThat(read(from, 2)).containsExactly("GET /2", null);
      }
      assertThat(log.lostLines()).isZero();
    }
  }

  @Test
  void connectsAgainAfterTheReceiverHasClosed() throws Exception {
    try (ServerSocket receiver = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      try (AccessLog log = open(logging("", 0, "tcp", "127.0.0.1:" + receiver.getLocalPort()))) {
        for (int i = 0; i < 3; i++) {
          log(log, i);
          try (Socket from = receiver.accept()) {
            assertThat(read(from, 1)).isEqualTo(lines(i, i + 1));
          }
        }
        assertThat(log.lostLines()).isZero();
      }
    }
  }

  // ---- any stream

  /** A receiver whose streams do as they are told. */
  private static final class Scripted implements LogStream.Opener {
    final List<String> received = new CopyOnWriteArrayList<>();
    final Semaphore arrivals = new Semaphore(0);
    final CountDownLatch writing = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);
    final AtomicInteger failures = new AtomicInteger();
    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger finished = new AtomicInteger();

    @Override
    public LogStream open() {
      opened.incrementAndGet();
      return new LogStream() {
        @Override
        public void write(byte[] bytes) throws IOException {
          writing.countDown();
          try {
            go.await();
          } catch (InterruptedException e) {
            throw new IOException("cut", e);
          }
          if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IOException("for the test");
          }
          List<String> lines = new String(bytes, US_ASCII).lines().toList();
          received.addAll(lines);
          arrivals.release(lines.size());
        }

        @Override
        public void finish() {
          finished.incrementAndGet();
        }

        @Override
        public void cut() {}
      };
    }

    @Override
    public byte[] prefix() {
      return new byte[] {'L'};
    }

    @Override
    public byte[] reopening(boolean rotates) {
      return (rotates ? "R\n" : "O\n").getBytes(US_ASCII);
    }

    @Override
    public byte[] flushing() {
      return new byte[0];
    }
  }

  private static void put(StreamOutput output, String line) {
    byte[] bytes = (line + "\n").getBytes(US_ASCII);
    output.line(bytes, 0, 1, 1, bytes.length - 1); // in two parts
  }

  @Test
  void aStuckReceiverCostsTheLinesBeyondTheQueue() throws Exception {
    Scripted receiver = new Scripted();
    StreamOutput output = new StreamOutput("test", receiver, 1);
    String text = "x".repeat(1000);
    put(output, "first");
    receiver.writing.await();
    for (int i = 0; i < 100; i++) {
      put(output, i + " " + text);
    }
    long lost = output.lostLines();
    assertThat(lost).isBetween(30L, 60L);
    output.reopen(true);
    receiver.go.countDown();
    assertThat(receiver.arrivals.tryAcquire((int) (102 - lost), 30, TimeUnit.SECONDS)).isTrue();
    put(output, "last");
    output.close();
    assertThat(receiver.received.get(1)).isEqualTo("L0 " + text);
    assertThat(receiver.received).endsWith("R", "Llast").hasSize((int) (103 - lost));
    assertThat(output.lostLines()).isEqualTo(lost);
    assertThat(receiver.finished).hasValue(1);
  }

  @Test
  void linesOfAFailedWriteAreWrittenAgain() throws Exception {
    Scripted receiver = new Scripted();
    receiver.failures.set(1);
    StreamOutput output = new StreamOutput("test", receiver, 0);
    put(output, "a");
    receiver.go.countDown();
    assertThat(receiver.arrivals.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    output.reopen(false);
    output.close();
    assertThat(receiver.received).containsExactly("La", "O");
    assertThat(receiver.opened).hasValue(2);
    assertThat(output.lostLines()).isZero();
  }

  @Test
  void whatAStuckReceiverDoesNotTakeIsLostAtTheEnd() throws Exception {
    Scripted receiver = new Scripted();
    StreamOutput output = new StreamOutput("test", receiver, 0);
    put(output, "a");
    put(output, "b");
    receiver.writing.await();
    output.close();
    assertThat(receiver.received).isEmpty();
    assertThat(output.lostLines()).isEqualTo(2);
    assertThat(receiver.finished).hasValue(0);
  }

  @Test
  void pausesGrow() {
    assertThat(IntStream.rangeClosed(1, 9).map(StreamOutput::pauseSeconds))
        .containsExactly(0, 1, 2, 4, 8, 16, 30, 30, 30);
  }

  @Test
  void aLineLongerThanAPieceIsTakenWhole() throws Exception {
    LineQueue queue = new LineQueue(1000);
    byte[] line = ("x".repeat(300) + "\n").getBytes(US_ASCII);
    for (int i = 0; i < 5; i++) {
      assertThat(queue.line(new byte[0], line, 0, 301, 0, 0)).isTrue();
      assertThat(queue.line(new byte[0], new byte[] {'y', '\n'}, 0, 2, 0, 0)).isTrue();
      assertThat(queue.take(100)).isEqualTo(line);
      assertThat(queue.take(400)).hasSize(303);
      assertThat(queue.written()).isTrue();
    }
    assertThat(queue.line(new byte[0], new byte[745], 0, 745, 0, 0)).isFalse();
    assertThat(queue.command(new byte[1000])).isTrue();
    assertThat(queue.command(new byte[1])).isFalse();
    assertThat(queue.lost()).isEqualTo(1);
  }

  // ---- logfile_daemon

  private String script(String name, String text) throws IOException {
    Path script = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + text);
    script.toFile().setExecutable(true);
    return script.toString();
  }

  private static List<String> withoutFlushes(Path file) throws IOException {
    return Files.readAllLines(file).stream().filter(line -> !line.equals("F")).toList();
  }

  @Test
  void aDaemonGetsItsPlaceAndCommands() throws Exception {
    String daemon = script("daemon", "echo \"$#\" > \"$1\"\nexec cat >> \"$1\"\n");
    Path place = directory.resolve("place");
    AccessLog log = open(logging(daemon, 7, "daemon", place.toString()));
    log(log, 0);
    log.rotate().join();
    log(log, 1);
    log.reopen().join();
    log(log, 2);
    log.close();
    assertThat(withoutFlushes(place))
        .containsExactly("1", "r7", "b0", "LGET /0", "R", "LGET /1", "r0", "R", "r7", "LGET /2");
    assertThat(Files.readAllLines(place)).contains("F");
    assertThat(log.lostLines()).isZero();
  }

  @Test
  void aDaemonThatEndsIsStartedAgain() throws Exception {
    String daemon = script("daemon", "head -n 3 >> \"$1\"\n");
    Path place = directory.resolve("place");
    try (AccessLog log = open(logging(daemon, 0, "daemon", place.toString()))) {
      for (int i = 0; i < 3; i++) {
        log(log, i);
        String line = "LGET /" + i;
        Waiting.until(line, () -> Files.exists(place) && Files.readAllLines(place).contains(line));
      }
    }
    assertThat(Files.readAllLines(place)).contains("LGET /0", "LGET /1", "LGET /2");
  }

  /** Squid's own program, under another name, writes the file that the proxy writes without it. */
  @Test
  void squidsProgramWritesTheSameFiles() throws Exception {
    Path program = Path.of("/usr/lib/squid/log_file_daemon");
    Assumptions.assumeTrue(Files.isExecutable(program));
    Path linked = Files.createSymbolicLink(directory.resolve("log_daemon"), program);
    for (String daemon : List.of("", linked.toString())) {
      Path file = Files.createDirectory(directory.resolve("d" + daemon.length())).resolve("a.log");
      AccessLog log = open(logging(daemon, 2, "daemon", file.toString()));
      for (int i = 0; i < 4; i++) {
        log(log, i);
        log.rotate().join();
      }
      log(log, 4);
      log.close();
      assertThat(Files.readAllLines(file)).isEqualTo(lines(4, 5));
      assertThat(Files.readAllLines(file.resolveSibling("a.log.0"))).isEqualTo(lines(3, 4));
      assertThat(Files.readAllLines(file.resolveSibling("a.log.1"))).isEqualTo(lines(2, 3));
      assertThat(file.resolveSibling("a.log.2")).doesNotExist();
    }
  }

  @Test
  void aDaemonThatCannotBeStartedCostsLinesOnly() throws Exception {
    AccessLog log = open(logging(directory.resolve("none").toString(), 0, "daemon", "x"));
    log(log, 0);
    log.close();
    assertThat(log.lostLines()).isEqualTo(1);
  }
}
