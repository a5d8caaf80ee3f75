package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.jmx.OriginPool;
import io.loligo.server.upstream.pool.EndpointNumbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OriginConnectionsTest {
  @Test
  void loopsAreAddedUp() {
    Map<String, OriginPool> pools =
        OriginConnections.pools(
            List.of(
                new EndpointNumbers("a:1", "a", 3, 2, 1),
                new EndpointNumbers("b:1", "b", 1, 0, 0),
                new EndpointNumbers("a:1", "a", 4, 1, 5)));
    assertThat(pools).containsOnlyKeys("a:1", "b:1");
    assertThat(pools.get("a:1"))
        .returns(7, OriginPool::getOpen)
        .returns(3, OriginPool::getIdle)
        .returns(6, OriginPool::getWaiting);
  }

  @Test
  void theSmallestAreOneRow() {
    List<EndpointNumbers> all = new ArrayList<>();
    for (int i = 0; i < OriginConnections.MAX_ROWS + 50; i++) {
      all.add(new EndpointNumbers("small:" + i, "small", 1, 0, 0));
    }
    all.add(new EndpointNumbers("large:1", "large", 9, 0, 0));
    Map<String, OriginPool> pools = OriginConnections.pools(all);
    assertThat(pools).hasSize(OriginConnections.MAX_ROWS + 1).containsKey("large:1");
    assertThat(pools.get(OriginConnections.OTHERS).getOpen()).isEqualTo(51);
  }
}
