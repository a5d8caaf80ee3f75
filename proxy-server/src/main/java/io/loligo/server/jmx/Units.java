package io.loligo.server.jmx;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import javax.management.DescriptorKey;

/**
 * Unit of an attribute, a parameter or the result of an operation; JMX shows it in the descriptor
 * as {@code units}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.PARAMETER})
public @interface Units {
  @DescriptorKey("units")
  String value();
}
