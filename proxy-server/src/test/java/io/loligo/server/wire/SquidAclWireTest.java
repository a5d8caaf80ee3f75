package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.wire.acl.AclFile;
import io.loligo.server.wire.acl.AclFileMaker;
import io.loligo.server.wire.acl.SampleRequest;
import io.loligo.server.wire.acl.SlowAclModel;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Random files of access rules in force in this proxy and in Squid: both decide random requests,
 * sent over sockets, as the slow model does. Skipped, visibly, if Squid is absent. More with {@code
 * -Dloligo.acl.squid.files=500}, others with {@code -Dloligo.acl.seed=N}.
 */
class SquidAclWireTest extends WireTest {
  private static final int FILES = Integer.getInteger("loligo.acl.squid.files", 2);
  private static final long SEED = Long.getLong("loligo.acl.seed", 1);
  private static final int REQUESTS = 120;

  /** No more is asked of a rule about time than that it holds, or not, this much around now. */
  private static final long BORDER_MILLIS = 120_000;

  /** One side: its rules, with its own ports in them, and their meaning. */
  private record Side(AclFileMaker maker, AclFile file, SlowAclModel model, List<Integer> ports) {
    static Side of(long seed, Path folder) throws IOException {
      List<Integer> ports = List.of(ProxyProcess.freePort(), ProxyProcess.freePort());
      AclFileMaker maker = new AclFileMaker(seed, true, ports, folder.toString());
      AclFile file = maker.next();
      for (Map.Entry<String, String> values : file.values().entrySet()) {
        readable(Files.writeString(Path.of(values.getKey()), values.getValue()));
      }
      return new Side(maker, file, new SlowAclModel(file, ZoneId.systemDefault()), ports);
    }

    List<String> portLines() {
      return ports.stream()
          .map(port -> "http_port 127.0.0.1:" + port + " name=front" + port)
          .toList();
    }
  }

  @Test
  void judgesAsSquidDoes() throws Exception {
    readable(dir);
    Path hosts = readable(Files.writeString(dir.resolve("hosts"), AclFileMaker.hosts()));
    List<String> onward =
        List.of(
            "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=up",
            "never_direct allow all",
            "hosts_file " + hosts);
    for (int i = 0; i < FILES; i++) {
      compare(SEED + i, onward);
    }
  }

  private void compare(long seed, List<String> onward) throws Exception {
    // of one seed, so that they differ in their ports only
    Side ours = Side.of(seed, readable(Files.createDirectory(dir.resolve("ours" + seed))));
    Side squids = Side.of(seed, readable(Files.createDirectory(dir.resolve("squids" + seed))));
    List<String> lines = new ArrayList<>(onward);
    lines.add(squids.file().text());
    String kit = configuration(ours.portLines().toArray(String[]::new));
    String configuration =
        kit.replace("http_access allow all\n", "")
            + String.join("\n", onward)
            + "\n"
            + ours.file().text();
    try (ProxyProcess squid = SquidProcess.start(dir, squids.portLines(), lines);
        ProxyUnderTest loligo = ProxyUnderTest.start(configuration)) {
      assertThat(loligo.port()).isEqualTo(ours.ports().get(0));
      for (int port : squids.ports()) {
        squid.awaitPort(port);
      }
      for (int i = 0; i < REQUESTS; i++) {
        ask(ours, squids, "seed " + seed + ": " + ours.file());
      }
    }
  }

  private static void ask(Side ours, Side squids, String what) throws IOException {
    long now = System.currentTimeMillis();
    SampleRequest request = ours.maker().request(now);
    SampleRequest same = squids.maker().request(now);
    boolean expected = ours.model().judge(request).allowed();
    if (ours.model().judge(request.at(now - BORDER_MILLIS)).allowed() != expected
        || ours.model().judge(request.at(now + BORDER_MILLIS)).allowed() != expected) {
      return;
    }
    String all = what + request;
    assertThat(squids.model().judge(same).allowed()).as(all).isEqualTo(expected);
    String ourAnswer = answer(request);
    assertThat(isDenied(ourAnswer)).as("Loligo: %s in %s", ourAnswer, all).isEqualTo(!expected);
    String squidAnswer = answer(same);
    assertThat(isDenied(squidAnswer)).as("Squid: %s in %s", squidAnswer, all).isEqualTo(!expected);
  }

  /** The origin never sends 403; an invalid request is invalid for both. */
  private static boolean isDenied(String head) {
    assertThat(head).doesNotContain(" 400 ");
    return head.startsWith("HTTP/1.1 403 ");
  }

  private static String answer(SampleRequest request) throws IOException {
    StringBuilder head = new StringBuilder();
    head.append(request.method()).append(' ').append(request.url()).append(" HTTP/1.1\r\n");
    head.append("Host: ").append(request.uriHost()).append(':').append(request.port());
    for (String line : request.fieldLines()) {
      head.append("\r\n").append(line);
    }
    boolean content = List.of("POST", "PUT").contains(request.method());
    head.append(content ? "\r\nContent-Length: 0" : "").append("\r\n\r\n");
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(RawClient.GUARD_MILLIS);
      socket.bind(new InetSocketAddress(request.client(), 0));
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), request.localPort()));
      socket.getOutputStream().write(head.toString().getBytes(ISO_8859_1));
      return WireMessage.readHead(new BufferedInputStream(socket.getInputStream()));
    }
  }

  /** Squid started by root runs as another user, who reads this, too. */
  private static Path readable(Path path) {
    path.toFile().setReadable(true, false);
    path.toFile().setExecutable(true, false);
    return path;
  }
}
