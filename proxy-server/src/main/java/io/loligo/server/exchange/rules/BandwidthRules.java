package io.loligo.server.exchange.rules;

import io.loligo.core.acl.AclInput;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.request.AddressBytes;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.ShapingSettings;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.shaping.ClientPool;
import io.loligo.server.shaping.DelayPool;
import io.loligo.server.shaping.ResponsePool;
import io.loligo.server.time.LoopClock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Chooses the pools of responses and tunnels. Confined to the event loop. */
public final class BandwidthRules {
  private final ShapingSettings settings;
  private final LoopClock clock;

  private BandwidthRules(ShapingSettings settings, LoopClock clock) {
    this.settings = settings;
    this.clock = clock;
  }

  /** The rules for one loop; null if there are no pools. */
  public static @Nullable BandwidthRules of(@Nullable ShapingSettings settings, LoopClock clock) {
    return settings == null ? null : new BandwidthRules(settings, clock);
  }

  /**
   * The limit for what is read from a server for {@code request}, which holds the head of the
   * response, if there is one; null: none.
   */
  public @Nullable Allowance ofServer(Request request) {
    List<DelayPool> pools = settings.delayPools();
    for (int i = 0; i < pools.size(); i++) {
      DelayPool pool = pools.get(i);
      if (pool.access().evaluate(request).allowed()) {
        byte[] client =
            settings.usesIndirectClient()
                ? request.clientAddress()
                : AddressBytes.of(request.client().getAddress());
        return pool.of(client, request.user(), request.externalTag(), clock.nanos());
      }
    }
    return null;
  }

  /**
   * The limit for what is sent of a response, or of the tunnel behind it; null: none.
   *
   * @param input the request, borrowed
   * @param head of the response, borrowed
   * @param toHead whether the response is one to HEAD
   */
  public @Nullable Allowance ofClient(
      ClientStream stream, AclInput input, OutgoingHead head, boolean toHead) {
    return Allowance.both(ofAddress(stream), ofResponse(input, head, toHead));
  }

  private @Nullable Allowance ofAddress(ClientStream stream) {
    List<ClientPool> pools = settings.clientPools();
    if (pools.isEmpty()) {
      return null;
    }
    UnreadRequest client = new UnreadRequest(stream, clock.millis());
    for (int i = 0; i < pools.size(); i++) {
      if (pools.get(i).access().evaluate(client).allowed()) {
        return pools.get(i).of(client.clientAddress(), clock.nanos());
      }
    }
    return null;
  }

  private @Nullable Allowance ofResponse(AclInput input, OutgoingHead head, boolean toHead) {
    List<ResponsePool> pools = settings.responsePools();
    if (pools.isEmpty()) {
      return null;
    }
    FieldFilter.show(input, fieldsOf(head, toHead), head.status());
    try {
      for (int i = 0; i < pools.size(); i++) {
        if (pools.get(i).access().evaluate(input).allowed()) {
          return pools.get(i).ofResponse(clock.nanos());
        }
      }
      return null;
    } finally {
      FieldFilter.hide(input, head.status());
    }
  }

  private static Fields fieldsOf(OutgoingHead head, boolean toHead) {
    FieldLines lines = new FieldLines(1024);
    lines.append(head.lines().bytes(), 0, head.lines().length());
    if (head.block() != null) {
      // without the empty line
      int bytes = Math.max(0, head.blockHeadBytes(toHead) - 2);
      lines.append(head.block(), head.index(), bytes);
    }
    Fields fields = new Fields(32);
    fields.clear(lines.bytes());
    StoredFields.index(lines.bytes(), 0, lines.length(), fields);
    return fields;
  }
}
