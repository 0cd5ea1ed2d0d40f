"""Decision-theoretic disclosure risk (harm × identification probability), and rules that choose what to disclose."""
