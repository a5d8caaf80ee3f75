package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.NodeRequests;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.store.inflight.InFlight;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Second copies in a cluster with {@code copies=2}: the second node in rank stores each response
 * that has had two hits at its owner, and answers if the owner fails. Confined to the loop.
 *
 * <pre>
 *  owner                                             second in rank
 *  a response is hit twice:
 *  HEAD, Peer-Copy: 1, only-if-cached          -->   has it:   200, and nothing follows
 *                                              <--   lacks it: 504, and a fetch in the background:
 *  answers from its store                      <--   GET, only-if-cached
 *                                              -->   stores it as its own
 * </pre>
 */
public final class SecondCopies {
  /** Offers of this loop that wait for their response, at most; further ones are not made. */
  private static final int MOST = 64;

  private final LoopServices services;
  private final NodeRequests nodes;

  /** Offers that wait for their response. */
  private int waiting;

  /** Has offered nothing yet. */
  public SecondCopies(LoopServices services, NodeRequests nodes) {
    this.services = services;
    this.nodes = nodes;
  }

  /** See {@link NodeRequests#offersCopy}. */
  public boolean isDue(Request request, int hits) {
    return nodes.offersCopy(request, hits);
  }

  /** See {@link NodeRequests#isOffer}. */
  public boolean isOffer(Request request) {
    return nodes.isOffer(request);
  }

  /**
   * Offers the response to {@code request}, borrowed, which this node has stored, to the node
   * second in rank, unless another node owns it.
   */
  public void offer(Request request, CacheKey key) {
    if (waiting >= MOST) {
      return;
    }
    List<Hop> second =
        nodes.owners().offer(key, request.httpPort().sharedName(), request.target().storeId());
    if (!second.isEmpty()) {
      new Offer().send(second, request.inBackground(null));
    }
  }

  /**
   * Fetches the response to {@code request}, borrowed, which the owner offers, unless that is under
   * way.
   */
  public void take(Request request, CacheKey key) {
    Fetch fetch = Fetch.ofSecondCopy(services, request.inBackground(null));
    InFlight inFlight = fetch.joinOrBegin(key, null);
    if (inFlight != null && inFlight.writer() == fetch) {
      nodes.owners().takesSecondCopy();
      fetch.start();
    }
  }

  /** One offer. Whatever its response: the other node does the rest. */
  private final class Offer implements OriginEvents {
    /** Null: it is not on its way. */
    private @Nullable OriginStream stream;

    void send(List<Hop> hops, Request request) {
      OutgoingRequest asked =
          OutgoingFields.compose(
              request, Conditions.NONE, null, services.settings, null, services.scratch.section());
      stream = services.upstream.fetch(hops, asked.asHead(), (address, port) -> null, this);
      waiting++;
    }

    private void over() {
      stream = null;
      waiting--;
    }

    @Override
    public void readyForContent() {
      // it has none
    }

    @Override
    public void interim(ResponseHead head) {
      // nobody waits for it
    }

    @Override
    public void head(@Nullable ResponseHead head, long contentLength) {
      readComplete();
    }

    @Override
    public void content(ByteBuf content) {
      content.release();
    }

    @Override
    public void readComplete() {
      if (stream != null) {
        stream.read();
      }
    }

    @Override
    public void end(@Nullable Fields trailers) {
      over();
    }

    @Override
    public void writable() {
      // nothing is to be sent
    }

    @Override
    public void failed(FetchFailure failure) {
      over();
    }
  }
}
