package io.loligo.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test a proxy of its own, with an empty cache in memory, on a free port of this
 * machine: the test has a parameter of type {@link TestProxy}, and one of type {@link TestOrigin}
 * for the scripted origin behind it. Both end with the test. On a method it replaces that of the
 * class.
 *
 * <pre>{@code
 * @Test
 * @LoligoProxy
 * void theClientUsesTheCache(TestProxy proxy, TestOrigin origin) { ... }
 * }</pre>
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(LoligoExtension.class)
public @interface LoligoProxy {
  /** Lines of {@code squid.conf}, see {@link io.loligo.LoligoConfig#line}. */
  String[] lines() default {};

  /**
   * {@code USER:PASSWORD}: clients must log in with Basic, and get 407 without this login. Empty:
   * no login.
   */
  String login() default "";
}
