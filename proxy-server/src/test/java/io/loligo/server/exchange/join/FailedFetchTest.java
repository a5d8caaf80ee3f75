package io.loligo.server.exchange.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.RequestHead;
import io.loligo.server.exchange.answer.FailureAnswer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

final class FailedFetchTest {
  private static FailedFetch.Sharing sharing(Kind kind, int met) {
    return FailedFetch.of(new FetchFailure(kind, "detail")).sharing(met);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "DNS_FAILED",
        "CONNECT_FAILED",
        "CONNECT_TIMEOUT",
        "SECURE_CONNECT_TIMEOUT",
        "NOT_PROCESSED",
        "NO_MEMORY",
        "NOT_ACKNOWLEDGED",
        "NO_FALL_BACK",
        "OVERLOADED"
      })
  void isSharedAtOnceWhereNoRequestHadBeenSent(Kind kind) {
    assertThat(sharing(kind, 1).shared()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void saysWhenToAskAgainWhereSomethingMayBeThereSoon(Kind kind) {
    FetchFailure failure = new FetchFailure(kind, "detail");
    FieldLines shared = new FieldLines(64);
    FailedFetch.of(failure).addRetryAfter(shared);
    boolean soon = kind == Kind.NO_MEMORY || kind == Kind.NO_FALL_BACK || kind == Kind.OVERLOADED;
    assertThat(shared.length() > 0).isEqualTo(soon);
    assertThat(FailureAnswer.retryAfter(failure) != null).isEqualTo(soon);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "NO_ROUTE",
        "ADDRESS_DENIED",
        "LENGTH_REQUIRED",
        "REQUEST_HEAD_TOO_LARGE",
        "TUNNEL_REFUSED",
        "ADAPTATION_FAILED",
        "HOOK_FAILED"
      })
  void isNeverSharedWhereTheRulesForOneClientAreTheCause(Kind kind) {
    assertThat(sharing(kind, 1).shared()).isFalse();
    assertThat(sharing(kind, 100).shared()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {
        "DNS_FAILED",
        "LOGIN_FAILED",
        "CONNECT_FAILED",
        "CONNECT_TIMEOUT",
        "SECURE_CONNECT_TIMEOUT",
        "NOT_PROCESSED",
        "NO_MEMORY",
        "NOT_ACKNOWLEDGED",
        "NO_FALL_BACK",
        "OVERLOADED",
        "NO_ROUTE",
        "ADDRESS_DENIED",
        "LENGTH_REQUIRED",
        "REQUEST_HEAD_TOO_LARGE",
        "TUNNEL_REFUSED",
        "ADAPTATION_FAILED",
        "HOOK_FAILED"
      })
  void isSharedTheSecondTimeWhereOneRequestMayBeTheCause(Kind kind) {
    assertThat(sharing(kind, 1).shared()).isFalse();
    assertThat(sharing(kind, 2).shared()).isTrue();
  }

  private static final String[] PLAIN = {"Host: a", "User-Agent: x", "Accept: y", "X-Own: 1"};

  private static boolean says(Kind kind, String... lines) {
    return FailedFetch.of(new FetchFailure(kind, "detail"))
        .saysOf(head(PLAIN), head(lines), FieldSet.NONE);
  }

  private static RequestHead head(String... lines) {
    return headOf("/", lines);
  }

  private static RequestHead headOf(String target, String... lines) {
    String text = "GET " + target + " HTTP/1.1\r\n" + String.join("\r\n", lines) + "\r\n\r\n";
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    return head;
  }

  /** They share a key where a part of the query is left out of it. */
  @Test
  void saysNothingOfOtherTargets() {
    FailedFetch failed = FailedFetch.of(new FetchFailure(Kind.READ_TIMEOUT, "detail"));
    RequestHead odd = headOf("/?a=1&b=x", PLAIN);
    assertThat(failed.saysOf(headOf("/?a=1&b=x", PLAIN), odd, FieldSet.NONE)).isTrue();
    assertThat(failed.saysOf(headOf("/?a=1&b=y", PLAIN), odd, FieldSet.NONE)).isFalse();
  }

  @Test
  void saysSomethingOfRequestsThatLackNothingOfTheOneThatMetIt() {
    assertThat(says(Kind.READ_TIMEOUT, PLAIN)).isTrue();
    assertThat(says(Kind.READ_TIMEOUT, "Host: a")).isTrue();
    assertThat(says(Kind.READ_TIMEOUT, "Host: a", "x-own: 2", "USER-AGENT: other")).isTrue();
    assertThat(says(Kind.READ_TIMEOUT, "Via: 1.1 a", "Connection: close", "Pragma: x")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Odd: 1", "Cookie: a", "Expect: x", "Forwarded: for=a", "X-Ow: 1"})
  void saysNothingOfRequestsWithoutAFieldThatOneHad(String line) {
    assertThat(says(Kind.READ_TIMEOUT, "Host: a", line)).isFalse();
  }

  @Test
  void saysNothingOfSmallRequestsWhereALargeOneMetIt() {
    String excess = "x".repeat(FailedFetch.MAX_EXCESS_BYTES);
    assertThat(says(Kind.READ_TIMEOUT, "User-Agent: " + excess)).isTrue();
    assertThat(says(Kind.READ_TIMEOUT, "User-Agent: " + excess, "Accept: " + excess)).isFalse();
    assertThat(says(Kind.READ_TIMEOUT, "X-Forwarded-For: " + excess + excess)).isFalse();
  }

  @Test
  void saysSomethingOfAllWhereNoRequestHadBeenSent() {
    assertThat(says(Kind.CONNECT_FAILED, "X-Odd: 1")).isTrue();
  }
}
