package io.loligo.server.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.caching.HttpDate;
import io.loligo.core.message.FieldLines;
import io.loligo.server.sim.MessageReader.Message;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All origins of a world: their resources, and how correctly they describe them. */
final class Origin {
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d*)");

  private final Simulation simulation;
  private final World world;
  private final Faults faults;
  private final Truth truth;
  private final List<Resource> resources;
  private final Map<Integer, SimRequest> requests;
  private final Map<String, Integer> plainRunning = new HashMap<>();
  private final LongSupplier sharedBytes;
  private final Consumer<Resource> answers;
  private int asked;

  /** The fault of one response. */
  private enum Fault {
    NONE,
    CLOSES,
    RESETS,
    CUTS_HEAD,
    CUTS_CONTENT,
    RESETS_IN_CONTENT,
    GARBAGE,
    UNAVAILABLE,
    NOT_FOUND,
    HANGS,
    STALLS,
    SURPLUS,
    SLOW
  }

  private static final List<Fault> FAULTS =
      List.of(Fault.values()).subList(1, Fault.values().length);

  /**
   * Origins of {@code resources}, and of the far ends of tunnels that parents open.
   *
   * @param requests the requests so far, by their numbers
   * @param sharedBytes concurrent requests for less have to share one fetch
   * @param answers told of the response that it begins
   */
  Origin(
      Simulation simulation,
      List<Resource> resources,
      Map<Integer, SimRequest> requests,
      LongSupplier sharedBytes,
      Consumer<Resource> answers) {
    this.answers = answers;
    this.sharedBytes = sharedBytes;
    this.simulation = simulation;
    this.world = simulation.world();
    this.faults = simulation.faults();
    this.truth = simulation.truth();
    this.resources = resources;
    this.requests = requests;
  }

  /** Requests that came here. */
  int asked() {
    return asked;
  }

  /**
   * A connection was made.
   *
   * @param parent to this one; null: to an origin
   */
  SimPeer accept(FarEnd socket, Parent parent) {
    Connection connection = new Connection(socket, parent);
    if (parent != null) {
      parent.add(connection);
      if (parent.isDown()) {
        connection.die(true); // it died meanwhile
      }
    }
    return connection;
  }

  /** The content of {@code source} for a request for all of it. */
  static byte[] content(Emitted source) {
    boolean own = source.status() >= 400 || source.status() == 201;
    return own
        ? ("answer " + source.serial()).getBytes(ISO_8859_1)
        : source.resource().content(source.version(), source.language());
  }

  private static String date(long millis) {
    FieldLines lines = new FieldLines(64);
    HttpDate.append(lines.append("Date: "), millis);
    return new String(lines.toBytes(), ISO_8859_1) + "\r\n";
  }

  /** One connection of the proxy. */
  final class Connection implements SimPeer, MessageReader.Listener {
    private final FarEnd socket;
    private final Parent parent;
    private Talker far;
    private boolean busy;
    private final MessageReader reader = new MessageReader(false, this);
    private boolean over;
    private String running;
    private String troubled;
    private long sendNanos;
    private int served;

    Connection(FarEnd socket, Parent parent) {
      this.socket = socket;
      this.parent = parent;
    }

    /** The parent that this is a connection to dies. */
    void die(boolean politely) {
      if (far == null && !(politely && (busy || served == 0))) {
        close(busy); // a response that a close would end must not look complete
      } else if (far != null && !politely) {
        far.breakOff();
        end();
      }
    }

    @Override
    public long readDelayMicros() {
      return far == null ? 0 : far.readDelayMicros();
    }

    @Override
    public void received(byte[] bytes) {
      if (!over) {
        reader.read(bytes);
      }
    }

    @Override
    public void fin() {
      if (far != null) {
        far.fin();
        return;
      }
      end();
      socket.peerCloses();
    }

    @Override
    public void reset() {
      if (far != null) {
        far.reset();
      }
      end();
    }

    private void end() {
      over = true;
      if (parent != null) {
        parent.remove(this);
      }
      calm();
      answered();
    }

    private void calm() {
      if (troubled != null) {
        faults.trouble(troubled, -1);
        troubled = null;
      }
    }

    private void answered() {
      if (running != null) {
        plainRunning.merge(running, -1, Integer::sum);
        running = null;
      }
    }

    @Override
    public boolean hasNoContent(Message head) {
      return false;
    }

    @Override
    public void head(Message head) {
      if (sendNanos > world.nanoTime()) {
        throw new AssertionError("asked before the answer was there: " + head.startLine);
      }
      busy = true;
      if (switches(head)) {
        tunnelAsked(head);
      } else if (head.startLine.startsWith("POST ")) {
        SimRequest cause = requests.get(Integer.parseInt(head.field("x-req")));
        if (++cause.arrivals > 1) {
          throw new AssertionError("sent more than once: " + cause);
        }
      }
    }

    @Override
    public boolean switches(Message head) {
      return head.startLine.startsWith("CONNECT ") || head.field("upgrade") != null;
    }

    @Override
    public void raw(byte[] bytes) {
      if (far == null) {
        throw new AssertionError("bytes in a tunnel that is not open");
      }
      far.received(bytes);
    }

    /** The path in {@code target}, whose form depends on the next hop. */
    private String path(String target, String host) {
      if (parent == null) {
        return target;
      }
      truth.askedParent(host);
      String before = "http://" + host;
      if (!target.startsWith(before + "/")) {
        throw new AssertionError("a parent is asked for " + target + " of " + host);
      }
      return target.substring(before.length());
    }

    // ---- tunnels

    private void tunnelAsked(Message request) {
      served++;
      String[] line = request.startLine.split(" ", -1);
      Tunneled tunnel;
      if (line[0].equals("CONNECT")) {
        int colon = line[1].indexOf(':');
        tunnel = simulation.tunnel(Integer.parseInt(line[1].substring(colon + 1)));
        truth.askedParent(tunnel.host);
        tunnel.check(parent != null, "is asked for at an origin");
        tunnel.check(
            tunnel.host.equals(line[1].substring(0, colon)), "is asked for as %s", line[1]);
        tunnel.check(++tunnel.arrivals == 1, "is asked for again");
      } else {
        String host = request.field("host");
        tunnel = simulation.upgraded(path(line[1], host));
        tunnel.check(
            tunnel.host.equals(host) && tunnel.upgrades, "is asked for by %s", request.startLine);
      }
      truth.tunnelled(tunnel);
      Fault fault = world.chance(faults.origin()) ? world.one(FAULTS) : Fault.NONE;
      world.note("asked for %s: %s", tunnel, fault);
      if (fault != Fault.HANGS) {
        world.after(world.draw(world.chance(70) ? 30_000 : 900_000), () -> tunnel(tunnel, fault));
      }
    }

    private void tunnel(Tunneled tunnel, Fault fault) {
      if (over) {
        return;
      }
      switch (fault) {
        case CLOSES -> close(false);
        case RESETS -> close(true);
        case GARBAGE, CUTS_HEAD -> {
          socket.peerSends("HTTP/1.1 2".getBytes(ISO_8859_1));
          close(false);
        }
        case UNAVAILABLE, NOT_FOUND -> {
          tunnel.refused = true;
          String status = tunnel.upgrades && world.chance(50) ? "200 Fine" : "503 Not now";
          String refusal = "HTTP/1.1 " + status + "\r\nContent-Length: 2\r\n\r\nno";
          socket.peerSends(refusal.getBytes(ISO_8859_1));
          close(false);
        }
        default -> openTunnel(tunnel);
      }
    }

    private void openTunnel(Tunneled tunnel) {
      SimSocket whole = (SimSocket) socket; // a tunnel is no stream
      tunnel.opened(whole);
      far = simulation.talker(whole, tunnel, false);
      String head =
          tunnel.upgrades
              ? "HTTP/1.1 101 Fine\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
              : "HTTP/1.1 200 Fine\r\n";
      // a description of the content has no meaning here
      head += !tunnel.upgrades && world.chance(20) ? "Content-Length: 5\r\n\r\n" : "\r\n";
      byte[] first = tunnel.down.say(world.chance(30) ? world.draw(tunnel.down.left() + 1) : 0);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes(head.getBytes(ISO_8859_1));
      out.writeBytes(first);
      socket.peerSends(out.toByteArray());
      far.begin();
    }

    @Override
    public void complete(Message request) {
      asked++;
      served++;
      int id = Integer.parseInt(request.field("x-req"));
      SimRequest cause = requests.get(id);
      String[] line = request.startLine.split(" ", -1);
      String path = path(line[1], request.field("host"));
      Resource resource = resources.get(Integer.parseInt(path.substring(2)));
      if (resource != cause.resource || !resource.host.equals(request.field("host"))) {
        throw new AssertionError("asked for " + request.startLine + " by " + cause);
      }
      boolean hasContent = line[0].equals("POST") || line[0].equals("QUERY");
      if (hasContent && !Arrays.equals(request.content.toByteArray(), cause.content)) {
        throw new AssertionError("other content than that of " + cause);
      }
      boolean plain = request.field("x-plain") != null && line[0].equals("GET");
      if (plain && resource.isShared()) {
        running = resource.path + resource.language(request.field("accept-language"));
        int together = plainRunning.merge(running, 1, Integer::sum);
        if (together > 1
            && resource.maxLength() < sharedBytes.getAsLong()
            && faults.isCalm()
            && !truth.isDisturbed(resource)) {
          throw new AssertionError(together + " fetches at once of " + resource + ", by " + cause);
        }
      }
      Fault fault = world.chance(faults.origin()) ? world.one(FAULTS) : Fault.NONE;
      world.note("origin is asked %s by %d: %s", request.startLine, id, fault);
      long millis = world.chance(70) ? world.draw(30) : world.draw(800);
      if (fault != Fault.NONE) {
        troubled = resource.host;
        faults.trouble(troubled, 1);
      }
      switch (fault) {
        case SLOW -> millis += 1_500 + world.draw(3_000);
        case HANGS -> {
          world.after(9_000_000L, () -> close(false));
          return;
        }
        default -> {}
      }
      world.after(
          millis * 1000,
          () -> {
            if (!over) {
              answer(request, line[0], resource, id, fault);
            }
          });
    }

    private void close(boolean reset) {
      if (over) {
        return;
      }
      end();
      if (reset) {
        socket.peerResets();
      } else {
        socket.peerCloses();
      }
    }

    private void answer(Message request, String method, Resource resource, int id, Fault fault) {
      switch (fault) {
        case CLOSES -> close(false);
        case RESETS -> close(true);
        case NOT_FOUND -> {
          if (parent == null) {
            send(compose(request, method, resource, id, fault), fault);
          } else {
            socket.peerSends(
                "HTTP/1.1 504 Late\r\nContent-Length: 2\r\n\r\nno".getBytes(ISO_8859_1));
            sent(false, false);
          }
        }
        case GARBAGE -> {
          socket.peerSends("HTTP/1.1 2x0 \0OK\r\n\r\n".getBytes(ISO_8859_1));
          close(false);
        }
        default -> send(compose(request, method, resource, id, fault), fault);
      }
    }

    /** An answer, and where it may be cut. */
    private record Composed(byte[] bytes, int headLength, boolean untilClose, boolean closes) {}

    private Composed compose(
        Message request, String method, Resource resource, int id, Fault fault) {
      String language = resource.language(request.field("accept-language"));
      if (method.equals("QUERY")) {
        String type = request.field("content-type");
        language = SimRequest.variant(language, request.content.toByteArray(), type);
      }
      int version = resource.version;
      String tag = resource.tag(version, language);
      int status = 200;
      if (method.equals("POST")) {
        resource.version++;
        status = 201;
      } else if (fault == Fault.UNAVAILABLE) {
        status = 503;
      } else if (fault == Fault.NOT_FOUND) {
        status = 404;
      } else if (resource.tagged
          && request.field("if-none-match") != null
          && request.field("if-none-match").contains(tag)) {
        status = 304;
      }
      Emitted source = truth.emit(resource, version, language, status, id);
      byte[] content = status == 304 ? new byte[0] : content(source);
      StringBuilder head = new StringBuilder();
      if (status == 200 && isPartWanted(request, tag)) {
        Matcher range = RANGE.matcher(request.field("range"));
        if (range.matches() && Integer.parseInt(range.group(1)) < content.length) {
          int from = Integer.parseInt(range.group(1));
          String last = range.group(2);
          int to =
              last.isEmpty()
                  ? content.length
                  : Math.min(content.length, Integer.parseInt(last) + 1);
          head.append("Content-Range: bytes " + from + "-" + (to - 1) + "/" + content.length);
          head.append("\r\n");
          content = Arrays.copyOfRange(content, from, to);
          status = 206;
        }
      }
      head.insert(0, "HTTP/1.1 " + status + " Fine\r\n");
      head.append("X-Serial: ").append(source.serial()).append("\r\n");
      head.append(date(world.originMillis()));
      if (status < 400 && status != 201) {
        if (resource.cacheControl() != null) {
          head.append("Cache-Control: ").append(resource.cacheControl()).append("\r\n");
        }
        if (resource.tagged) {
          head.append("ETag: ").append(tag).append("\r\n");
        }
        if (resource.varies) {
          head.append("Vary: Accept-Language\r\n");
        }
      }
      world.note("origin answers %d as %s", status, source);
      world.mark(source.serial());
      answers.accept(resource);
      return frame(request, method, head, status, content);
    }

    private boolean isPartWanted(Message request, String tag) {
      String condition = request.field("if-range");
      return request.field("range") != null && (condition == null || condition.equals(tag));
    }

    private Composed frame(
        Message request, String method, StringBuilder head, int status, byte[] content) {
      boolean closes = world.chance(10);
      int framing = world.draw(10);
      boolean none = method.equals("HEAD") || status == 304;
      boolean chunked = !none && framing > 6 && request.startLine.endsWith("1.1");
      boolean untilClose = !none && framing == 0 && status == 200;
      if (chunked) {
        head.append("Transfer-Encoding: chunked\r\n");
      } else if (status != 304 && !untilClose) {
        head.append("Content-Length: ").append(content.length).append("\r\n");
      }
      if (closes) {
        head.append("Connection: close\r\n");
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      if (world.chance(5)) {
        out.writeBytes("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".getBytes(ISO_8859_1));
      }
      out.writeBytes(head.append("\r\n").toString().getBytes(ISO_8859_1));
      int headLength = out.size();
      if (chunked) {
        chunks(out, content);
      } else if (!none) {
        out.writeBytes(content);
      }
      return new Composed(out.toByteArray(), headLength, untilClose, closes || untilClose);
    }

    private void chunks(ByteArrayOutputStream out, byte[] content) {
      int at = 0;
      while (at < content.length) {
        int length = 1 + world.draw(content.length - at);
        out.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(ISO_8859_1));
        out.write(content, at, length);
        out.writeBytes("\r\n".getBytes(ISO_8859_1));
        at += length;
      }
      out.writeBytes("0\r\n\r\n".getBytes(ISO_8859_1));
    }

    private void send(Composed answer, Fault fault) {
      byte[] bytes = answer.bytes;
      int end = bytes.length;
      int behindHead = end - answer.headLength;
      switch (fault) {
        case CUTS_HEAD -> end = world.draw(answer.headLength);
        case CUTS_CONTENT, RESETS_IN_CONTENT ->
            end = answer.headLength + (behindHead == 0 ? 0 : world.draw(behindHead));
        case SURPLUS -> bytes = Arrays.copyOf(bytes, end += answer.untilClose ? 0 : 5);
        default -> {}
      }
      boolean cut = end < answer.bytes.length;
      long micros = 0;
      int at = 0;
      while (at < end) {
        int length = world.chance(50) ? end - at : 1 + world.draw(end - at);
        byte[] piece = Arrays.copyOfRange(bytes, at, at + length);
        at += length;
        boolean last = at == end;
        boolean ends = cut || answer.closes;
        boolean resets = cut && (answer.untilClose || fault == Fault.RESETS_IN_CONTENT);
        world.after(
            micros,
            () -> {
              if (!over) {
                socket.peerSends(piece);
                if (last) {
                  sent(ends, resets);
                }
              }
            });
        micros += world.draw(world.chance(90) ? 2_000 : 300_000);
        if (fault == Fault.STALLS && world.chance(50)) {
          micros += 6_000_000;
        }
      }
      if (end == 0) {
        close(false);
      }
      sendNanos = world.nanoTime();
    }

    private void sent(boolean closes, boolean resets) {
      busy = false;
      answered();
      calm();
      if (closes) {
        close(resets);
      } else if (world.chance(15)) {
        // it does not wait for another request for ever
        int before = served;
        world.after(
            world.draw(3_000_000),
            () -> {
              if (served == before) {
                close(false);
              }
            });
      }
    }
  }
}
