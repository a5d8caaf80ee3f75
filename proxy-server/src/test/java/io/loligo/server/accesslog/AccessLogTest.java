package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.acl.AclType;
import io.loligo.core.acl.Acls;
import io.loligo.server.Waiting;
import io.loligo.server.config.Configs;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.SampleRecord;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class AccessLogTest {
  private static final int SMALL_RING_BYTES = 1024;

  @TempDir Path directory;

  private static void nothing() {}

  private Path file() {
    return directory.resolve("access.log");
  }

  private static LogTarget log(String module, String place, String format, AclList access) {
    return new LogTarget(LogPlace.of(module, place), format, access, "f:1");
  }

  private static LogTarget stdio(Path file, String format, AclList access) {
    return log("stdio", file.toString(), format, access);
  }

  private static LogSettings logging(int rotate, boolean block, LogTarget... logs) {
    return new LogSettings(
        Configs.of("")
            .with(LogDirectives.ACCESS_LOG, List.of(logs))
            .with(LogDirectives.LOGFORMAT, Map.of("line", "%rm %rp"))
            .with(LogDirectives.LOGFILE_ROTATE, rotate)
            .with(LogDirectives.LOG_OVERFLOW, block ? "block" : "drop"));
  }

  private LogSettings toFile(int rotate, boolean block) {
    return logging(rotate, block, stdio(file(), "line", AclList.allowAll()));
  }

  private static ExchangeRecord request(int number) {
    return SampleRecord.of("GET http://h/" + number + " HTTP/1.1", "Host: h");
  }

  private static AclInput anyInput() {
    return (AclInput)
        Proxy.newProxyInstance(
            AclInput.class.getClassLoader(), new Class<?>[] {AclInput.class}, (p, m, a) -> null);
  }

  private static List<Integer> numbers(Path... files) throws IOException {
    List<Integer> numbers = new ArrayList<>();
    for (Path file : files) {
      for (String line : Files.readAllLines(file)) {
        assertThat(line).startsWith("GET /");
        numbers.add(Integer.valueOf(line.substring("GET /".length())));
      }
    }
    return numbers;
  }

  private static List<Integer> upTo(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @Test
  void closeWritesEveryLineOnce() throws IOException {
    AccessLog log = AccessLog.open(toFile(0, false), 2, AccessLogTest::nothing);
    for (int i = 0; i < 500; i++) {
      log.loop(i % 2).finished(request(i));
    }
    log.close();
    assertThat(numbers(file())).containsExactlyInAnyOrderElementsOf(upTo(500));
    assertThat(log.writtenLines()).isEqualTo(500);
    assertThat(log.droppedLines()).isZero();
    assertThat(log.queuedBytes()).isZero();
  }

  @Test
  void countsLinesOfferedAfterCloseAsDropped() throws IOException {
    AccessLog log = AccessLog.open(toFile(0, false), 1, AccessLogTest::nothing);
    log.close();
    log.loop(0).finished(request(1));
    assertThat(log.droppedLines()).isEqualTo(1);
    assertThat(file()).isEmptyFile();
  }

  @Test
  void rotatingLosesNothing() throws IOException {
    AccessLog log = AccessLog.open(toFile(3, false), 1, AccessLogTest::nothing);
    int count = 0;
    for (int turn = 0; turn < 3; turn++) {
      for (int i = 0; i < 100; i++) {
        log.loop(0).finished(request(count++));
      }
      log.rotate().join();
    }
    log.loop(0).finished(request(count++));
    log.close();
    assertThat(
            numbers(
                directory.resolve("access.log.2"),
                directory.resolve("access.log.1"),
                directory.resolve("access.log.0"),
                file()))
        .isEqualTo(upTo(count));
    assertThat(directory.resolve("access.log.3")).doesNotExist();
  }

  @Test
  void rotatingDropsTheOldestGeneration() throws IOException {
    AccessLog log = AccessLog.open(toFile(2, false), 1, AccessLogTest::nothing);
    for (int turn = 0; turn < 4; turn++) {
      log.loop(0).finished(request(turn));
      log.rotate().join();
    }
    log.close();
    assertThat(numbers(directory.resolve("access.log.0"))).containsExactly(3);
    assertThat(numbers(directory.resolve("access.log.1"))).containsExactly(2);
    assertThat(directory.resolve("access.log.2")).doesNotExist();
  }

  @Test
  void rotatingWhileLinesArriveLosesNothing() throws Exception {
    int count = 20_000;
    AccessLog log = AccessLog.open(toFile(0, true), 1, AccessLogTest::nothing, SMALL_RING_BYTES);
    CountDownLatch begun = new CountDownLatch(1);
    Thread loop =
        new Thread(
            () -> {
              ExchangeSink sink = log.loop(0);
              for (int i = 0; i < count; i++) {
                sink.finished(request(i));
                begun.countDown();
              }
            });
    loop.start();
    begun.await();
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Path moved = directory.resolve("moved." + i);
      Files.move(file(), moved);
      files.add(moved);
      log.reopen().join();
    }
    loop.join();
    log.close();
    files.add(file());
    assertThat(numbers(files.toArray(new Path[0]))).isEqualTo(upTo(count));
  }

  @Test
  void reopensMovedFiles() throws IOException {
    AccessLog log = AccessLog.open(toFile(7, false), 1, AccessLogTest::nothing);
    log.loop(0).finished(request(0));
    Path moved = directory.resolve("moved");
    Files.move(file(), moved);
    log.loop(0).finished(request(1));
    log.reopen().join();
    log.loop(0).finished(request(2));
    log.close();
    assertThat(numbers(moved, file())).isEqualTo(upTo(3));
    assertThat(directory.resolve("access.log.0")).doesNotExist();
  }

  @Test
  void reopenAfterCloseIsDoneAtOnce() throws IOException {
    AccessLog log = AccessLog.open(toFile(0, false), 1, AccessLogTest::nothing);
    log.close();
    assertThat(log.reopen()).isCompleted();
  }

  @Test
  void lineReachesTheFileWithoutFurtherLines() throws Exception {
    try (AccessLog log = AccessLog.open(toFile(0, false), 1, AccessLogTest::nothing)) {
      log.loop(0).finished(request(0));
      Waiting.until("a line", () -> log.writtenLines() > 0 && Files.size(file()) > 0);
      assertThat(numbers(file())).containsExactly(0);
    }
  }

  @Test
  void dropsAndCountsOnOverflow() throws Exception {
    int count = 50_000;
    AccessLog log = AccessLog.open(toFile(0, false), 1, AccessLogTest::nothing, SMALL_RING_BYTES);
    ExchangeSink sink = log.loop(0);
    ExchangeRecord record = request(1);
    for (int i = 0; i < count; i++) {
      sink.finished(record);
    }
    log.close();
    assertThat(log.droppedLines()).isPositive();
    assertThat(numbers(file()).size() + log.droppedLines()).isEqualTo(count);
    assertThat(log.writtenLines() + log.droppedLines()).isEqualTo(count);
  }

  @Test
  void blocksOnOverflowWhereTold() throws Exception {
    int count = 20_000;
    AccessLog log = AccessLog.open(toFile(0, true), 1, AccessLogTest::nothing, SMALL_RING_BYTES);
    for (int i = 0; i < count; i++) {
      log.loop(0).finished(request(i));
    }
    log.close();
    assertThat(log.droppedLines()).isZero();
    assertThat(numbers(file())).isEqualTo(upTo(count));
  }

  @Test
  void linesOfOneFileShareIt() throws IOException {
    AccessLog log =
        AccessLog.open(
            logging(0, false, stdio(file(), "line", null), stdio(file(), "line", null)),
            1,
            AccessLogTest::nothing);
    log.loop(0).finished(request(4));
    log.close();
    assertThat(numbers(file())).containsExactly(4, 4);
  }

  @Test
  void aclsChooseWhichLogsTakeARecord() throws IOException {
    Path denied = directory.resolve("denied.log");
    AccessLog log =
        AccessLog.open(
            logging(
                0,
                false,
                stdio(denied, "line", AclList.denyAll()),
                stdio(file(), "line", AclList.allowAll())),
            1,
            AccessLogTest::nothing);
    ExchangeRecord record = request(1);
    record.acl = anyInput();
    log.loop(0).finished(record);
    log.close();
    assertThat(denied).isEmptyFile();
    assertThat(numbers(file())).containsExactly(1);
  }

  /** A page of our own is the response that {@code http_status} and {@code rep_mime_type} mean. */
  @Test
  void aclsSeeTheResponseThatWasSent() throws IOException {
    Path pages = directory.resolve("pages.log");
    Acls acls = new Acls(name -> null, java.time.ZoneOffset.UTC);
    acls.define("denied", AclType.HTTP_STATUS, List.of("403"));
    acls.define("page", AclType.REP_MIME_TYPE, List.of("^text/html"));
    AccessLog log =
        AccessLog.open(
            logging(
                0,
                false,
                stdio(file(), "line", only(acls, "denied")),
                stdio(pages, "line", only(acls, "page"))),
            1,
            AccessLogTest::nothing);
    log.loop(0).finished(answered(1, 403, "ERR_ACCESS_DENIED", "text/html"));
    log.loop(0).finished(answered(2, 200, null, "text/html"));
    log.loop(0).finished(answered(3, 200, null, "text/plain"));
    ExchangeRecord unread = answered(4, 400, "ERR_INVALID_REQ", "text/html");
    unread.acl = null;
    log.loop(0).finished(unread);
    log.close();
    assertThat(numbers(file())).containsExactly(1);
    assertThat(numbers(pages)).containsExactly(1, 2, 4);
  }

  private static ExchangeRecord answered(int number, int status, String error, String type) {
    ExchangeRecord record = request(number);
    record.status = status;
    record.errorCode = error;
    record.contentType = type;
    record.acl = anyInput();
    return record;
  }

  private static AclList only(Acls acls, String name) {
    return acls.compile(
        List.of(new AclRule(true, List.of(name), name, "f:1")), AclList.allowAll(), false);
  }

  @Test
  void noneEndsTheListForRecordsThatItMatches() throws IOException {
    AccessLog log =
        AccessLog.open(
            logging(
                0, false, log("none", "", null, AclList.allowAll()), stdio(file(), "line", null)),
            1,
            AccessLogTest::nothing);
    log.loop(0).finished(request(1));
    log.close();
    assertThat(file()).isEmptyFile();
  }

  @Test
  void withoutLogsNothingIsWritten() throws IOException {
    AccessLog log = AccessLog.open(logging(0, false), 1, AccessLogTest::nothing);
    log.loop(0).finished(request(1));
    log.close();
    assertThat(log.writtenLines() + log.droppedLines()).isZero();
  }

  @Test
  void sendsEachLineAsADatagram() throws Exception {
    try (DatagramSocket collector = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      AccessLog log =
          AccessLog.open(
              logging(0, false, log("udp", "127.0.0.1:" + collector.getLocalPort(), "line", null)),
              1,
              AccessLogTest::nothing);
      log.loop(0).finished(request(1));
      log.loop(0).finished(request(2));
      DatagramPacket packet = new DatagramPacket(new byte[100], 100);
      for (int i = 1; i <= 2; i++) {
        collector.receive(packet);
        assertThat(new String(packet.getData(), 0, packet.getLength(), US_ASCII))
            .isEqualTo("GET /" + i + "\n");
      }
      log.close();
    }
  }

  @Test
  void countsLinesAFullDiskLoses() throws IOException {
    Path full = Path.of("/dev/full");
    org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(full));
    AccessLog log =
        AccessLog.open(logging(3, false, stdio(full, "line", null)), 1, AccessLogTest::nothing);
    for (int i = 0; i < 100; i++) {
      log.loop(0).finished(request(i));
    }
    log.rotate().join();
    log.close();
    assertThat(log.lostLines()).isEqualTo(100);
    assertThat(log.writtenLines()).isZero();
    assertThat(full).exists();
  }

  private static LogTarget withOptions(Path file, LogOptions options) {
    LogPlace where = new LogPlace("stdio", file.toString(), options);
    return new LogTarget(where, "line", AclList.allowAll(), "f:1");
  }

  @Test
  void aLineHasARotationOfItsOwn() throws IOException {
    Path other = directory.resolve("other.log");
    AccessLog log =
        AccessLog.open(
            logging(
                0,
                false,
                withOptions(file(), new LogOptions(0, false, 2)),
                withOptions(other, LogOptions.NONE)),
            1,
            AccessLogTest::nothing);
    for (int turn = 0; turn < 3; turn++) {
      log.loop(0).finished(request(turn));
      log.rotate().join();
    }
    log.reopen().join();
    log.close();
    assertThat(numbers(directory.resolve("access.log.1"), directory.resolve("access.log.0")))
        .containsExactly(1, 2);
    assertThat(directory.resolve("access.log.2")).doesNotExist();
    assertThat(numbers(other)).containsExactly(0, 1, 2);
  }

  @Test
  void aFileIsWrittenWhenItsBufferIsFull() throws IOException {
    FileOutput output = new FileOutput(file(), 16, 0);
    byte[] line = "GET /1\n".getBytes(US_ASCII);
    output.line(line, 0, line.length, 0, 0);
    output.line(line, 0, line.length, 0, 0);
    assertThat(file()).isEmptyFile();
    output.line(line, 0, line.length, 0, 0);
    assertThat(numbers(file())).containsExactly(1, 1);
    output.close();
    assertThat(numbers(file())).containsExactly(1, 1, 1);
  }

  @Test
  void aVitalLogThatLosesALineTellsOnce() throws IOException {
    Path full = Path.of("/dev/full");
    org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(full));
    List<String> told = new ArrayList<>();
    AccessLog log =
        AccessLog.open(
            logging(
                0,
                false,
                withOptions(full, new LogOptions(0, true, -1)),
                withOptions(file(), new LogOptions(0, true, -1))),
            1,
            () -> told.add("lost"));
    log.loop(0).finished(request(1));
    log.rotate().join();
    log.loop(0).finished(request(2));
    log.rotate().join();
    log.close();
    assertThat(told).containsExactly("lost");
    assertThat(numbers(file())).containsExactly(1, 2);
  }

  @Test
  void namesTheLogThatCannotBeOpened() {
    Path under = directory.resolve("file");
    assertThatThrownBy(
            () -> {
              Files.createFile(under);
              AccessLog.open(
                  logging(0, false, stdio(under.resolve("a.log"), "line", null)),
                  1,
                  AccessLogTest::nothing);
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a.log");
    assertThatThrownBy(
            () ->
                AccessLog.open(
                    logging(0, false, log("ftp", "h:1", "line", null)), 1, AccessLogTest::nothing))
        .hasMessageContaining("access_log module: ftp");
    assertThatThrownBy(
            () ->
                AccessLog.open(
                    logging(0, false, stdio(file(), "nosuch", null)), 1, AccessLogTest::nothing))
        .hasMessageContaining("nosuch");
  }
}
