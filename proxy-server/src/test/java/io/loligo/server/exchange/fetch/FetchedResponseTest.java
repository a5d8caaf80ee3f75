package io.loligo.server.exchange.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.share.HotKeys;
import org.junit.jupiter.api.Test;

class FetchedResponseTest {
  @Test
  void copiesLiveAsLongAsTheSimulationAssumes() {
    assertThat(FetchedResponse.COPY_SECONDS * 1000).isEqualTo(HotKeys.LONGEST_MILLIS);
  }
}
