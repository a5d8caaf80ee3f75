package io.loligo.server.sim;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * A tunnel that a client requests: the bytes of either side, those that arrived at the other, and
 * the ways in which it may end.
 */
final class Tunneled {
  /** Ports from here on are those of tunnels, one for each. */
  static final int FIRST_PORT = 40_000;

  /** Ports from here on are closed by closing rules. */
  static final int FIRST_CLOSED_PORT = 50_000;

  /** How much later than it is due a tunnel may end, nanoseconds: two ticks, and the way there. */
  private static final long LATE_NANOS = 1_000_000_000L;

  final int id;
  final String host;

  /** Whether a request for an upgrade begins it, else a CONNECT. */
  final boolean upgrades;

  /** Whether closing rules close its port. */
  final boolean closable;

  final Way up;
  final Way down;
  long sentNanos = -1;

  /** How often a parent was asked for it. */
  int arrivals;

  /** Status that arrived; 0: none. */
  int status;

  /** Whether the server refused. */
  boolean refused;

  private final World world;
  private SimSocket client;
  private Supplier<Life.Drain> drain;
  private SimSocket far;
  private long openedNanos;
  private boolean broken;
  private boolean killed;
  private int records;
  private int loggedStatus = -1;
  private long loggedIn;
  private long loggedOut;

  /** Tunnel number {@code id}, drawn. */
  Tunneled(World world, int id, String host) {
    this.world = world;
    this.id = id;
    this.host = host;
    upgrades = world.chance(25);
    closable = upgrades ? id % 2 == 1 : world.chance(15);
    up = new Way("client");
    down = new Way("far end");
  }

  /** The port of its target. */
  int port() {
    return upgrades ? 80 : (closable ? FIRST_CLOSED_PORT : FIRST_PORT) + id;
  }

  /** Number of the tunnel to {@code port}. */
  static int id(int port) {
    return port - (port >= FIRST_CLOSED_PORT ? FIRST_CLOSED_PORT : FIRST_PORT);
  }

  String head() {
    String from =
        upgrades
            ? "GET http://" + host + "/u" + id + " HTTP/1.1\r\nHost: " + host + "\r\n"
            : "CONNECT "
                + host
                + ":"
                + port()
                + " HTTP/1.1\r\nHost: "
                + host
                + ":"
                + port()
                + "\r\n";
    String switching = upgrades ? "Connection: Upgrade\r\nUpgrade: websocket\r\n" : "";
    return from + "X-Tunnel: " + id + "\r\n" + switching + "\r\n";
  }

  // ---- its life

  void asked(SimSocket socket, Supplier<Life.Drain> stops) {
    client = socket;
    drain = stops;
    sentNanos = world.nanoTime();
  }

  /** The far end is there, at {@code socket}. */
  void opened(SimSocket socket) {
    check(far == null, "was opened twice");
    far = socket;
    openedNanos = world.nanoTime();
    watch();
  }

  boolean isOpened() {
    return far != null;
  }

  /** One side ends it, regardless of bytes in transit. */
  void broken() {
    broken = true;
  }

  boolean isBroken() {
    return broken;
  }

  /** The proxy was killed. */
  void killed() {
    killed |= client != null;
  }

  /** The log has a line of it. */
  void logged(ExchangeRecord record) {
    records++;
    loggedStatus = record.status;
    loggedIn = record.clientBytesIn;
    loggedOut = record.clientBytesOut;
    world.note("logged %s: %d %s", this, record.status, record.tag);
    boolean opened = record.status == 200 || record.status == 101;
    check(!opened || refused || record.tag == LogTag.TCP_TUNNEL, "is logged as %s", record.tag);
  }

  /** Whether the client may be left without a response, because the proxy ends. */
  boolean mayBeLost() {
    return killed || drain.get() != null;
  }

  /** No byte moves, and no side ends it: then the proxy does. */
  private void watch() {
    if (client.isOpen() || far.isOpen()) {
      long idle = world.nanoTime() - Math.max(openedNanos, moved());
      check(idle < SimSetting.IDLE_NANOS + LATE_NANOS, "is open after %d ms", idle / 1_000_000);
      world.after(500_000, this::watch);
    }
  }

  private long moved() {
    return Math.max(client.movedNanos(), far.movedNanos());
  }

  /** Whether the proxy may have ended it by itself. */
  boolean mayBeCut() {
    Life.Drain stop = drain.get();
    // one side may be over long before, while the other one does not take its rest
    long closed =
        far == null ? client.closedNanos() : Math.max(client.closedNanos(), far.closedNanos());
    boolean idle = closed - moved() >= SimSetting.IDLE_NANOS;
    boolean drained = stop != null && closed >= stop.tunnelDeadline();
    return killed || (closed >= 0 && (idle || drained));
  }

  /** Whether the client was gone before the proxy had told it that the tunnel is open. */
  private boolean isGivenUp() {
    return broken && records > 0 && loggedStatus == 0;
  }

  /** Whether both sides have heard all of the other, and its end. */
  boolean isWhole() {
    return isOpened() && up.isWhole() && down.isWhole();
  }

  /** The final invariants, when no side is active any more. */
  void end() {
    if (status == 0 || killed) {
      check(records <= 1, "has %d log lines", records);
      return;
    }
    check(records == 1, "has %d log lines", records);
    check(loggedStatus == status, "is logged as %d", loggedStatus);
    if (isOpened() && !refused && (status == 200 || status == 101)) {
      long head = head().length();
      check(
          loggedIn >= head + up.received && loggedIn <= head + up.sent,
          "is logged with %d bytes in",
          loggedIn);
      check(loggedOut >= down.received, "is logged with %d bytes out", loggedOut);
      check(broken || mayBeCut() || isWhole(), "ended early");
      if (isWhole()) {
        check(loggedIn == head + up.sent, "is logged with %d bytes in", loggedIn);
      }
    }
  }

  void check(boolean holds, String what, Object... of) {
    if (!holds) {
      throw new AssertionError(this + " " + String.format(Locale.ROOT, what, of));
    }
  }

  @Override
  public String toString() {
    return (upgrades ? "upgrade " : "tunnel ")
        + id
        + " to "
        + host
        + ", up "
        + up
        + ", down "
        + down;
  }

  /** All that one side says. */
  final class Way {
    private final String from;
    private final byte[] bytes;
    private int sent;
    private int received;
    private boolean ended;
    private boolean endReceived;

    Way(String from) {
      this.from = from;
      bytes =
          new byte
              [switch (world.draw(10)) {
                case 0, 1 -> 0;
                case 2, 3, 4, 5 -> world.draw(500);
                case 6, 7, 8 -> world.draw(20_000);
                default -> world.draw(120_000);
              }];
      int salt = id * 31 + from.length();
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (((salt + i) * 0x9E3779B1) >>> 23);
      }
    }

    int left() {
      return bytes.length - sent;
    }

    /** The next {@code length} bytes, said now. */
    byte[] say(int length) {
      sent += length;
      return Arrays.copyOfRange(bytes, sent - length, sent);
    }

    /** No more is said. */
    void end() {
      ended = true;
    }

    void heard(byte[] got) {
      int to = received + got.length;
      check(!endReceived, "says more behind its end");
      check(
          to <= sent && Arrays.equals(got, Arrays.copyOfRange(bytes, received, to)),
          "brings other bytes than those of its %s",
          from);
      received = to;
    }

    /** The other side was told that this is the end. */
    void endHeard() {
      endReceived = true;
      check(
          (ended && received == sent) || mayBeCut() || (received == 0 && isGivenUp()),
          "is cut, as if its %s had ended",
          from);
    }

    private boolean isWhole() {
      return endReceived && ended && received == sent;
    }

    @Override
    public String toString() {
      return received + "/" + sent + "/" + bytes.length + (ended ? "." : "");
    }
  }
}
