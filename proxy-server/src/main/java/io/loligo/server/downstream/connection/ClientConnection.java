package io.loligo.server.downstream.connection;

import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * A client's connection, whatever it speaks: what its loop must be able to do to all of them.
 * Confined to the channel's event loop.
 */
public abstract class ClientConnection extends ChannelInboundHandlerAdapter {
  // neighbours in the loop's list of open connections
  ClientConnection previous;
  ClientConnection next;
  boolean listed;

  /** Closes if idle, politely, else after the exchange in progress. */
  protected abstract void drain();

  /** Whether it was given away: octets are relayed, nothing is exchanged. */
  protected abstract boolean tunnels();

  /** Closes now; an exchange in progress ends as aborted. */
  protected abstract void abort();
}
