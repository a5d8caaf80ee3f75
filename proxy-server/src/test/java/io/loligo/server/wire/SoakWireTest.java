package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Everything at once for {@code -Dsoak.seconds}, a minute with {@code -Psoak}: hits, misses,
 * ranges, conditions, changes, purges, aborts, slow readers, tunnels, nonsense and reloads, over a
 * memory tier and a disk too small for all. Each byte of each answer is that of a version no older
 * than the client knows of; at the end nothing is left of anybody.
 */
class SoakWireTest extends WireTest {
  private static final int SECONDS = Integer.getInteger("soak.seconds", 12);
  private static final int CLIENTS = 6;
  private static final String KINDS = "fskvvlxenff";
  private static final String HOT = "flv";
  private static final String[] LANGUAGES = {"en", "de"};

  private enum Action {
    GET,
    HIT,
    RANGE,
    CONDITION,
    HEAD,
    CHANGE,
    PURGE,
    ABORT,
    LAZY,
    TUNNEL,
    NONSENSE
  }

  private final Map<String, AtomicLong> known = new ConcurrentHashMap<>();
  private final Map<Action, AtomicLong> done = new EnumMap<>(Action.class);
  private SoakOrigin soaked;
  private volatile long end;
  private volatile boolean stopped;

  @Override
  int eventLoops() {
    return 2;
  }

  private String[] lines(String host) {
    return new String[] {
      "visible_hostname " + host,
      "logformat ends %ru %err_detail",
      "access_log stdio:" + dir.resolve("access.log") + " ends",
      "cache_mem 8 MB",
      "acl purge method PURGE",
      "loligo_collapsed_wait 30 seconds"
    };
  }

  @Test
  void holdsWhateverHappensAtOnce() throws Exception {
    for (Action action : Action.values()) {
      done.put(action, new AtomicLong());
    }
    soaked = closing(SoakOrigin.start());
    String disk = "cache_dir rock " + dir.resolve("cache") + " 48";
    String[] first = with(lines("a.test"), disk);
    String[] second = with(lines("b.test"), disk);
    startProxy(first);
    proxy.diskOpened().join();
    get("/none"); // objects that are made once exist
    long sockets = sockets();
    end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    stopped = false;
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        long seed = System.nanoTime() * 31 + i;
        all.add(threads.submit(() -> new Client(seed).run()));
      }
      all.add(threads.submit(() -> reload(first, second)));
      for (Future<?> one : all) {
        one.get();
      }
    } catch (ExecutionException failed) {
      stopped = true;
      throw new AssertionError(failed.getCause() + "; by the log " + ends(), failed);
    } finally {
      stopped = true;
      threads.shutdownNow();
    }
    for (Action action : Action.values()) {
      assertThat(done.get(action)).as("%s was tried", action).hasPositiveValue();
    }
    soaked.close();
    proxy.drain().get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    assertThat(proxy.transitBytes()).as("bytes on their way").isZero();
    proxy.close();
    assertThat(sockets()).as("open sockets").isLessThanOrEqualTo(sockets);
  }

  /** How the last answers ended that did not end well, nonsense apart. */
  private List<String> ends() throws Exception {
    List<String> ends = new ArrayList<>(stopAndReadLog());
    ends.removeIf(line -> line.endsWith(" -") || line.startsWith("error:"));
    return ends.subList(Math.max(0, ends.size() - 10), ends.size());
  }

  private static String[] with(String[] lines, String more) {
    String[] all = Arrays.copyOf(lines, lines.length + 1);
    all[lines.length] = more;
    return all;
  }

  /** Until the time is over and, on a slow machine, each action was done. */
  private boolean goesOn() {
    long over = System.nanoTime() - end;
    boolean waits = done.values().stream().anyMatch(times -> times.get() == 0);
    return !stopped && (over < 0 || (waits && over < RawClient.GUARD_MILLIS * 1_000_000L));
  }

  /** There and back without a pause. */
  private Void reload(String[] first, String[] second) {
    for (int i = 0; goesOn(); i++) {
      String text = configuration(i % 2 == 0 ? second : first);
      assertThat(proxy.reload(text).done()).isTrue();
    }
    return null;
  }

  private static long sockets() throws IOException {
    long count = 0;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path one : all) {
        count += Files.isSymbolicLink(one) && target(one).startsWith("socket:") ? 1 : 0;
      }
    }
    return count;
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException closedMeanwhile) {
      return "";
    }
  }

  /** One that asks for this and that, on a connection as long as that lasts. */
  private final class Client {
    private final Random random;
    private RawClient connection;
    private Lazy lazy;

    Client(long seed) {
      random = new Random(seed);
    }

    /** An answer that is read little by little. */
    private static final class Lazy {
      final String path;
      final long atLeast;
      final RawClient from;
      final String head;
      final byte[] got;
      int at;

      Lazy(String path, long atLeast, RawClient from, String head) {
        this.path = path;
        this.atLeast = atLeast;
        this.from = from;
        this.head = head;
        this.got = new byte[Integer.parseInt(WireMessage.field(head, "content-length"))];
      }
    }

    Void run() throws Exception {
      while (goesOn()) {
        Action action = Action.values()[random.nextInt(Action.values().length)];
        String path = action == Action.HIT ? "/f1" : path();
        long version = soaked.current(path);
        try {
          act(action, path);
          done.get(action).incrementAndGet();
        } catch (EOFException | SocketException cut) {
          assertMayBeCut(path, version, cut);
          reconnect();
        }
        readOn();
      }
      close(connection);
      close(lazy == null ? null : lazy.from);
      return null;
    }

    /** The origin breaks off, or has no bytes of that version any more. */
    private void assertMayBeCut(String path, long version, IOException cut) {
      boolean may = path.startsWith("/x") || soaked.current(path) != version;
      assertThat(may).as("%s in version %s was cut: %s", path, version, cut).isTrue();
    }

    /** Half of all are for three objects, so that they meet. */
    private String path() {
      if (random.nextBoolean()) {
        return "/" + HOT.charAt(random.nextInt(HOT.length())) + "0";
      }
      char kind = KINDS.charAt(random.nextInt(KINDS.length()));
      int popular = (int) Math.pow(random.nextInt(300), random.nextDouble());
      return "/" + kind + popular;
    }

    private void act(Action action, String path) throws Exception {
      switch (action) {
        case GET -> get(path);
        case HIT -> {
          get(path);
          get(path);
        }
        case RANGE -> range(path);
        case CONDITION -> condition(path);
        case HEAD -> head(path);
        case CHANGE -> change(path);
        case PURGE -> purge(path);
        case ABORT -> abort("/l" + random.nextInt(50));
        case LAZY -> beginLazy("/l" + random.nextInt(50));
        case TUNNEL -> tunnel(path);
        case NONSENSE -> nonsense();
      }
    }

    private String url(String path) {
      return "http://127.0.0.1:" + soaked.port() + path;
    }

    private RawClient connection() throws IOException {
      if (connection == null) {
        connection = RawClient.connect(proxy.port());
      }
      return connection;
    }

    private void reconnect() throws IOException {
      close(connection);
      connection = null;
    }

    private void close(RawClient client) throws IOException {
      if (client != null) {
        client.close();
      }
    }

    private WireMessage ask(String method, String path, String... lines) throws IOException {
      WireMessage answer = connection().request(method, url(path), lines).responseTo(method);
      if ("close".equals(answer.field("connection"))) {
        reconnect();
      }
      return answer;
    }

    private void get(String path) throws IOException {
      String language = LANGUAGES[random.nextInt(2)];
      long atLeast = newest(path);
      WireMessage answer = ask("GET", path, "Accept-Language: " + language);
      if (!failedAsItMay(path, answer)) {
        check(path, language, atLeast, answer, 0);
      }
    }

    private void range(String path) throws IOException {
      int from = random.nextInt(3000);
      long atLeast = newest(path);
      WireMessage answer =
          ask("GET", path, "Accept-Language: en", "Range: bytes=" + from + "-" + (from + 999));
      if (!failedAsItMay(path, answer) && answer.status() != 416) {
        check(path, "en", atLeast, answer, answer.status() == 206 ? from : 0);
      }
    }

    private void condition(String path) throws IOException {
      long atLeast = newest(path);
      String tag = SoakOrigin.tag(path, "en", atLeast);
      WireMessage answer = ask("GET", path, "Accept-Language: en", "If-None-Match: " + tag);
      if (answer.status() == 304) {
        assertThat(answer.field("etag")).isEqualTo(tag);
      } else if (!failedAsItMay(path, answer)) {
        check(path, "en", atLeast, answer, 0);
      }
    }

    private void head(String path) throws IOException {
      long atLeast = newest(path);
      WireMessage answer = ask("HEAD", path, "Accept-Language: en");
      if (!failedAsItMay(path, answer)) {
        long version = SoakOrigin.version(answer.field("etag"));
        assertThat(version).as("%s", answer).isGreaterThanOrEqualTo(atLeast);
      }
    }

    private void change(String path) throws IOException {
      WireMessage answer =
          connection()
              .send(RawClient.head("POST", url(path), "Content-Length: 3") + "new")
              .response();
      assertThat(answer.status()).as("%s", answer).isEqualTo(200);
      knows(path, Long.parseLong(answer.text()));
      if ("close".equals(answer.field("connection"))) {
        reconnect();
      }
    }

    private void purge(String path) throws IOException {
      long version = soaked.change(path);
      WireMessage answer = ask("PURGE", path);
      assertThat(answer.status()).as("%s", answer).isIn(200, 404);
      knows(path, version);
    }

    private void abort(String path) throws IOException {
      RawClient client = RawClient.connect(proxy.port());
      client.get(url(path));
      if (random.nextBoolean()) {
        client.responseHead();
      }
      client.reset();
    }

    private void beginLazy(String path) throws IOException {
      if (lazy == null) {
        long atLeast = newest(path);
        RawClient client = RawClient.connect(proxy.port(), 8 << 10);
        lazy = new Lazy(path, atLeast, client, client.get(url(path)).responseHead());
      }
    }

    private void readOn() throws IOException {
      if (lazy == null) {
        return;
      }
      int more = Math.min(lazy.got.length - lazy.at, 30_000);
      if (lazy.from.in().readNBytes(lazy.got, lazy.at, more) < more) {
        long version = SoakOrigin.version(WireMessage.field(lazy.head, "etag"));
        assertMayBeCut(lazy.path, version, new EOFException("after " + lazy.at));
        lazy.from.close();
        lazy = null;
        return;
      }
      lazy.at += more;
      if (lazy.at == lazy.got.length) {
        WireMessage whole = new WireMessage(lazy.head, lazy.got, List.of(), 0);
        check(lazy.path, "", lazy.atLeast, whole, 0);
        lazy.from.close();
        lazy = null;
      }
    }

    private void tunnel(String path) throws IOException {
      String authority = "127.0.0.1:" + soaked.port();
      try (RawClient client = RawClient.connect(proxy.port())) {
        client.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
        assertThat(WireMessage.status(client.responseHead())).isEqualTo(200);
        long atLeast = newest(path);
        client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nAccept-Language: en\r\n\r\n");
        WireMessage answer = client.response();
        if (!failedAsItMay(path, answer)) {
          check(path, "en", atLeast, answer, 0);
        }
      }
    }

    private void nonsense() throws IOException {
      String[] all = {
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET http://127.0.0.1/\r\n\r\n",
        "POST http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        "\0\1\2\3\r\n\r\n"
      };
      try (RawClient client = RawClient.connect(proxy.port())) {
        client.send(all[random.nextInt(all.length)]);
        assertThat(client.untilClose()).startsWith("HTTP/1.1 4");
      }
    }

    private boolean failedAsItMay(String path, WireMessage answer) {
      boolean may = path.startsWith("/e") && answer.status() == 503;
      may |= path.startsWith("/x") && answer.status() >= 502 && answer.status() <= 504;
      if (!may) {
        assertThat(answer.status()).as("%s: %s", path, answer).isIn(200, 206, 416);
      }
      return may;
    }

    private void check(String path, String language, long atLeast, WireMessage answer, int from) {
      long version = SoakOrigin.version(answer.field("etag"));
      assertThat(version).as("%s: %s", path, answer.head()).isGreaterThanOrEqualTo(atLeast);
      byte[] whole = SoakOrigin.content(path, language, version);
      int to = answer.status() == 206 ? Math.min(whole.length, from + 1000) : whole.length;
      assertThat(Arrays.equals(answer.body(), Arrays.copyOfRange(whole, from, to)))
          .as("bytes of %s in version %s: %s", path, version, answer.head())
          .isTrue();
    }

    private long newest(String path) {
      return known.computeIfAbsent(path, ignored -> new AtomicLong()).get();
    }

    private void knows(String path, long version) {
      known.computeIfAbsent(path, ignored -> new AtomicLong()).accumulateAndGet(version, Math::max);
    }
  }
}
