package io.loligo.server.origins;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.RequestTarget;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.traffic.KeyedHash;
import org.junit.jupiter.api.Test;

class QueryOrdersTest {
  private final QueryOrders orders = new QueryOrders(new KeyedHash(5));

  private boolean isAnother(String url) {
    RequestTarget target = SampleRecord.of("GET " + url + " HTTP/1.1", "Host: a").target;
    assertThat(target).isNotNull();
    return orders.isAnother(target);
  }

  @Test
  void findsTheSameParametersInAnotherOrder() {
    assertThat(isAnother("http://a/p?x=1&y=2&z=3")).isFalse();
    assertThat(isAnother("http://a/p?x=1&y=2&z=3")).isFalse();
    assertThat(isAnother("http://a/p?z=3&x=1&y=2")).isTrue();
    assertThat(isAnother("http://a/p?z=3&x=1&y=2")).isFalse();
    assertThat(isAnother("http://a/p?x=1&y=2&z=3")).isTrue();
  }

  @Test
  void otherParametersPathsAndOriginsAreNoFinding() {
    for (String url :
        new String[] {
          "http://a/p?a=1&b=2",
          "http://a/p?a=2&b=1",
          "http://a/p?b=1&c=2",
          "http://a/p?a=1&b=2&b=2",
          "http://a/p?a=1&&b=2",
          "http://a/q?b=2&a=1",
          "http://b/p?b=2&a=1",
          "http://a:81/p?b=2&a=1",
          "http://a/p?ab=12&c=",
          "http://a/p?a=1b=2",
          "http://a/p?",
          "http://a/p?&",
          "http://a/p"
        }) {
      assertThat(isAnother(url)).as(url).isFalse();
    }
  }

  @Test
  void exchangedValuesAreNoFinding() {
    for (int i = 100; i < 200; i++) {
      assertThat(isAnother("http://a/p?a=" + i + "&b=" + (i + 1))).isFalse();
      assertThat(isAnother("http://a/p?a=" + (i + 1) + "&b=" + i)).isFalse();
    }
  }

  @Test
  void aStormOfSetsFindsNothing() {
    for (int i = 0; i < 20 * QueryOrders.SLOTS; i++) {
      assertThat(isAnother("http://a/p?x=" + i + "&y=" + -i)).isFalse();
    }
  }
}
