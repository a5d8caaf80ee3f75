package io.loligo.server.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

final class FailedFetchTest {
  private static FailedFetch.Sharing sharing(Kind kind, int met) {
    return FailedFetch.of(new FetchFailure(kind, "detail")).sharing(met);
  }

  @ParameterizedTest
  @EnumSource(names = {"DNS_FAILED", "CONNECT_FAILED", "CONNECT_TIMEOUT", "OVERLOADED"})
  void isSharedAtOnceWhereNoRequestHadBeenSent(Kind kind) {
    assertThat(sharing(kind, 1).shared()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"NO_ROUTE", "ADDRESS_DENIED"})
  void isNeverSharedWhereTheRulesForOneClientAreTheCause(Kind kind) {
    assertThat(sharing(kind, 1).shared()).isFalse();
    assertThat(sharing(kind, 100).shared()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {
        "DNS_FAILED",
        "CONNECT_FAILED",
        "CONNECT_TIMEOUT",
        "OVERLOADED",
        "NO_ROUTE",
        "ADDRESS_DENIED"
      })
  void isSharedTheSecondTimeWhereOneRequestMayBeTheCause(Kind kind) {
    assertThat(sharing(kind, 1).shared()).isFalse();
    assertThat(sharing(kind, 2).shared()).isTrue();
  }
}
