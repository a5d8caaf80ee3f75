package io.loligo.server.shaping;

import io.loligo.core.acl.AclList;
import java.util.List;
import java.util.Objects;

/** Pools for tests of what shows them. */
public final class SamplePools {
  private SamplePools() {}

  /** A pool with a bucket for all that holds 4 of 8, and one with a bucket of a client with 3. */
  public static List<PoolLevels> levels() {
    Rate rate = new Rate(1, 8);
    ResponsePool films = new ResponsePool("films", null, rate, 50, AclList.allowAll());
    Objects.requireNonNull(films.ofResponse(0)).charge(4);
    ClientPool clients = new ClientPool(1, rate, 50, AclList.allowAll());
    Objects.requireNonNull(clients.of(new byte[4], 0)).charge(1);
    return List.of(films.levels(0), clients.levels(0));
  }
}
