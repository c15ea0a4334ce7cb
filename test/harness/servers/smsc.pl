#!/usr/bin/perl
# An SMSC on Net::SMPP (Debian: libnet-smpp-perl), a codec that is none of ours. Usage: smsc.pl PORT
# Tells what arrives on standard output; answers 0x58 to texts with "throttle" in them; sends a receipt for each.
use strict;
use warnings;
use Net::SMPP;
use IO::Select;

$| = 1;
# The ids of texts that are registered in India are vendor-specific tags.
$SIG{__WARN__} = sub { warn @_ unless $_[0] =~ /^Unknown tag/ };
my ($port) = @ARGV;
my $listener = Net::SMPP->new_listen('127.0.0.1', port => $port) or die "cannot listen: $!";
print "listening\n";
my $number = 0;
while (1) {
  my $session = $listener->accept or next;
  my $select = IO::Select->new($session);
  my @receipts;
  while (1) {
    if (!$select->can_read(0.2)) {
      # Between packets, so that an answer is never mistaken for a request.
      while (my $id = shift @receipts) {
        $session->deliver_sm(
          async => 1, source_addr => '447911123456', destination_addr => 'Acme', esm_class => 4,
          short_message => "id:$id sub:001 dlvrd:001 submit date:2601010000 done date:2601010001 stat:DELIVRD err:000 text:",
        );
      }
      next;
    }
    my $pdu = $session->read_pdu() or last;
    my $command = $pdu->{cmd};
    if ($command == Net::SMPP::CMD_bind_transceiver()) {
      print "bind $pdu->{system_id} $pdu->{password}\n";
      my $status = $pdu->{password} eq 'secret' ? 0 : 0x0e;
      $session->bind_transceiver_resp(seq => $pdu->{seq}, system_id => 'perl', status => $status);
    } elsif ($command == Net::SMPP::CMD_submit_sm()) {
      my $text = $pdu->{short_message};
      my $optional = join '', map { exists $pdu->{$_} ? sprintf(' %x=%s', $_, $pdu->{$_} =~ s/\0$//r) : () } 0x1400 .. 0x1402;
      printf "submit %s %s coding=%d esm=%d receipt=%d validity=%s %s%s\n", $pdu->{source_addr}, $pdu->{destination_addr},
        $pdu->{data_coding}, $pdu->{esm_class}, $pdu->{registered_delivery}, $pdu->{validity_period}, unpack('H*', $text), $optional;
      my $throttled = $text =~ /throttle/;
      my $id = sprintf 'p%d', ++$number;
      $session->submit_sm_resp(seq => $pdu->{seq}, message_id => $throttled ? '' : $id, status => $throttled ? 0x58 : 0);
      push @receipts, $id if $pdu->{registered_delivery} && !$throttled;
    } elsif ($command == Net::SMPP::CMD_enquire_link()) {
      print "enquire_link\n";
      $session->enquire_link_resp(seq => $pdu->{seq});
    } elsif ($command == Net::SMPP::CMD_unbind()) {
      print "unbind\n";
      $session->unbind_resp(seq => $pdu->{seq});
      last;
    } elsif ($command == Net::SMPP::CMD_deliver_sm_resp()) {
      print "deliver_sm_resp $pdu->{status}\n";
    }
  }
  $session->close;
}
