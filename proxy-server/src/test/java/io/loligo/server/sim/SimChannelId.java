package io.loligo.server.sim;

import io.netty.channel.ChannelId;

/** The number of a channel: the same in every run. */
record SimChannelId(int number) implements ChannelId {
  private static final long serialVersionUID = 1;

  @Override
  public String asShortText() {
    return "sim-" + number;
  }

  @Override
  public String asLongText() {
    return asShortText();
  }

  @Override
  public int compareTo(ChannelId other) {
    return asShortText().compareTo(other.asShortText());
  }
}
