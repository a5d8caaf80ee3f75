package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.wire.hostile.HostileVector;
import io.loligo.server.wire.hostile.HostileVector.Fact;
import io.loligo.server.wire.hostile.HostileVector.Fate;
import io.loligo.server.wire.hostile.HostileVector.Kind;
import io.loligo.server.wire.hostile.HostileVector.Manner;
import io.loligo.server.wire.hostile.VectorBytes;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One vector through one proxy. Confined to one thread. */
final class HostileRun {
  private static final int GUARD_MILLIS = RawClient.GUARD_MILLIS;
  private static final List<String> AFTERWARDS = List.of("tail", "after/1", "after/2");

  private final HostileVector vector;
  private final String here;
  private final String host;
  private final ProxyUnderTest proxy;
  private final HostileOrigin origin;
  private final Map<String, String> words = new LinkedHashMap<>();

  // the bytes that the client got
  private WireMessage answer;
  private IOException broken;
  private StringBuilder got = new StringBuilder();

  /**
   * A run of {@code vector}.
   *
   * @param here path of its own request, below which all others are
   * @param authority of the origin
   */
  HostileRun(HostileVector vector, String here, String authority, ProxyUnderTest proxy) {
    this.vector = vector;
    this.here = here;
    this.host = vector.gateway() ? "site.test" : authority;
    this.proxy = proxy;
    words.put("GET", "GET {url} HTTP/1.1\r\nHost: {host}\r\n");
    words.put("POST", "POST {url} HTTP/1.1\r\nHost: {host}\r\n");
    words.put("HEAD", "HEAD {url} HTTP/1.1\r\nHost: {host}\r\n");
    words.put("smuggled", "GET {url}smuggled HTTP/1.1\r\nHost: {host}\r\n\r\n");
    words.put("url", target(""));
    words.put("here", here);
    words.put("host", host);
    String bytes = vector.origin() == null ? null : VectorBytes.of(vector.origin(), words);
    this.origin = new HostileOrigin(vector, here, bytes);
  }

  HostileOrigin origin() {
    return origin;
  }

  private String target(String name) {
    return vector.gateway() ? here + name : "http://" + host + here + name;
  }

  void run() throws Exception {
    Map<ParseFailure, Long> before = proxy.refusals();
    try (RawClient client = RawClient.connect(proxy.port()).guard(GUARD_MILLIS)) {
      client.sendIgnoringReset(VectorBytes.of(vector.client(), words).getBytes(ISO_8859_1));
      if (vector.has(Manner.CLIENT_HALF_CLOSES)) {
        client.halfClose();
      }
      converse(client);
    } catch (SocketTimeoutException e) {
      fail("nothing came of it: " + got, e);
    }
    othersGetTheirOwn();
    List<HostileOrigin.Seen> own = origin.seen().stream().filter(this::isOwn).toList();
    counted(before);
    originSide(own);
    nothingIsStored();
    for (Fact fact : vector.facts()) {
      holds(fact, own);
    }
    if (vector.origin() != null && vector.expected().fate() != Fate.PASSES) {
      notReused(own);
    }
  }

  /** Whether the vector's request has become this one. */
  private boolean isOwn(HostileOrigin.Seen seen) {
    return AFTERWARDS.stream().noneMatch(name -> seen.target().equals(here + name));
  }

  // ---- the client's side

  private void converse(RawClient client) throws IOException {
    Fate fate = vector.expected().fate();
    String method = VectorBytes.of(vector.client(), words).strip().split(" ", 2)[0];
    try {
      read(client, method);
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException | NumberFormatException | StringIndexOutOfBoundsException cut) {
      broken = new IOException(cut);
    }
    if (fate == Fate.CUT) {
      isCut(client);
      return;
    }
    assertThat(broken).as("answer: %s", got).isNull();
    assertThat(answer.status()).as("%s", answer).isEqualTo(vector.expected().status());
    if (fate == Fate.REFUSED && vector.origin() == null) {
      assertThat(answer.field("Connection")).as("%s", answer).isEqualTo("close");
      assertThat(client.untilClose()).as("behind %s", answer).isEmpty();
    } else if ("close".equals(answer.field("Connection"))) {
      client.sendIgnoringReset(VectorBytes.of(vector.later(), words).getBytes(ISO_8859_1));
      assertThat(client.untilClose()).as("behind %s", answer).isEmpty();
    } else if (!vector.has(Manner.CLIENT_HALF_CLOSES)) {
      client.send(VectorBytes.of(vector.later(), words));
      ownAnswer(client, "tail");
    }
  }

  private void read(RawClient client, String method) throws IOException {
    do {
      String head = client.responseHead();
      got.append(head);
      answer = WireMessage.readResponseBody(method, head, client.in());
      got.append(answer.text()).append(answer.trailers());
    } while (answer.status() < 200);
  }

  /** No whole response but a refusal, and no connection unless the origin was refused. */
  private void isCut(RawClient client) throws IOException {
    if (broken == null && vector.origin() != null) {
      assertThat(answer.status()).as("%s", answer).isEqualTo(502);
      ownAnswer(client, "tail");
      return;
    }
    if (broken == null) {
      assertThat(answer.status()).as("%s", answer).isIn(400, 431);
      assertThat(answer.field("Connection")).as("%s", answer).isEqualTo("close");
    }
    assertThat(client.untilClose()).isEmpty();
  }

  private void ownAnswer(RawClient client, String name) throws IOException {
    client.send("GET " + target(name) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    WireMessage own = client.response();
    assertThat(own.status()).as("%s", own).isEqualTo(200);
    assertThat(own.text()).isEqualTo(HostileOrigin.own("GET", here + name));
  }

  // ---- afterwards

  private void othersGetTheirOwn() throws IOException {
    for (String name : AFTERWARDS.subList(1, AFTERWARDS.size())) {
      try (RawClient other = RawClient.connect(proxy.port()).guard(GUARD_MILLIS)) {
        ownAnswer(other, name);
      }
    }
  }

  private void counted(Map<ParseFailure, Long> before) {
    Map<ParseFailure, Long> now = proxy.refusals();
    for (ParseFailure reason : ParseFailure.values()) {
      boolean expected = reason.name().equals(vector.expected().reason());
      assertThat(now.get(reason) - before.get(reason))
          .as("counted as %s", reason)
          .isEqualTo(expected ? 1 : 0);
    }
  }

  private void originSide(List<HostileOrigin.Seen> own) throws Exception {
    origin.requireUnambiguous();
    for (HostileOrigin.Seen seen : origin.seen()) {
      assertThat(seen.target()).doesNotContain("smuggled");
    }
    boolean fromClient = vector.origin() == null;
    if (fromClient && vector.expected().fate() == Fate.REFUSED) {
      assertThat(own).as("requests that reached the origin").isEmpty();
    }
    if (fromClient && vector.expected().fate() == Fate.CUT) {
      for (HostileOrigin.Seen seen : own) {
        assertThat(seen.message()).as("a whole request from a broken one").isNull();
      }
    }
  }

  /** A refused or cut message answers no later request. */
  private void nothingIsStored() throws IOException {
    boolean asked = vector.facts().stream().anyMatch(fact -> fact.kind() == Kind.STORED);
    if (vector.expected().fate() == Fate.PASSES && !asked) {
      return;
    }
    try (RawClient other = RawClient.connect(proxy.port()).guard(GUARD_MILLIS)) {
      ownAnswer(other, "");
    }
  }

  private void holds(Fact fact, List<HostileOrigin.Seen> own) throws Exception {
    String text = VectorBytes.of(fact.text(), words);
    switch (fact.kind()) {
      case ORIGIN_SEES -> assertThat(sentOn(own)).contains(text);
      case ORIGIN_NEVER_SEES -> assertThat(sentOn(own)).doesNotContain(text);
      case CLIENT_SEES -> assertThat(got.toString()).contains(text);
      case CLIENT_NEVER_SEES -> assertThat(got.toString()).doesNotContain(text);
      case CLIENT_CONNECTION -> assertThat(text).isEqualTo("closes");
      case ORIGIN_CONNECTION -> notReused(own);
      case STORED -> assertThat(text).isEqualTo("nothing");
    }
    if (fact.kind() == Kind.CLIENT_CONNECTION) {
      assertThat(answer.field("Connection")).as("%s", answer).isEqualTo("close");
    }
  }

  private static String sentOn(List<HostileOrigin.Seen> own) throws Exception {
    StringBuilder all = new StringBuilder();
    for (HostileOrigin.Seen seen : own) {
      WireMessage message = seen.message();
      all.append(seen.head());
      if (message != null) {
        all.append(message.text()).append(message.trailers());
      }
    }
    return all.toString();
  }

  /** Connections that had the vector's request had no other behind it. */
  private void notReused(List<HostileOrigin.Seen> own) {
    List<HostileOrigin.Seen> others = new ArrayList<>(origin.seen());
    others.removeAll(own);
    for (HostileOrigin.Seen odd : own) {
      assertThat(others)
          .as("by the connection that saw something odd")
          .noneMatch(other -> other.connection() == odd.connection());
    }
  }
}
