package io.loligo.server.adapt;

import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.record.IcapTransaction;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Takes a message after its adaptation. First comes, after {@link #answered} or not, one of {@link
 * #unchanged}, {@link #request}, {@link #response} and {@link #failed}. Content follows on request
 * by {@link Adaptation#read}. The last call is {@link #end}, {@link #starved} or {@link #failed}.
 * Called on the event loop, never before {@link Adaptation#start} has returned.
 */
public interface Adapted {
  /** {@code service} has answered with {@code fields}, borrowed, of the ICAP response. */
  void answered(IcapService service, Fields fields);

  /** The head stays as it is. */
  void unchanged();

  /**
   * The request is another one.
   *
   * @param head may be kept
   * @param contentLength bytes of its content, see {@link io.loligo.core.message.ContentLength}
   */
  void request(RequestHead head, long contentLength);

  /**
   * The response is another one, or the service answers the request itself.
   *
   * @param head may be kept
   * @param contentLength bytes of its content, see {@link io.loligo.core.message.ContentLength}
   */
  void response(ResponseHead head, long contentLength);

  /** An exchange with a service about the message is over. May come at any time. */
  void transacted(IcapTransaction transaction);

  /** Content. Takes {@code content}. */
  void content(ByteBuf content);

  /** One read's worth of content was delivered. */
  void readComplete();

  /** The content is complete; {@code trailers} borrowed, may be null. */
  void end(@Nullable Fields trailers);

  /** Nothing more comes: memory for content in transit has run out. */
  void starved(String why);

  /** Nothing more comes: the service failed, and the message cannot continue without it. */
  void failed(String why);
}
